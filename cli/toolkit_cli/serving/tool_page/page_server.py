"""Serves the page on the loopback interface, to whoever has the token of its address.

The token is in the fragment of the address, which browsers do not send; the script of the page keeps it for its tab and
sends it as a bearer token. So other sites, and servers on other ports, cannot use it.
"""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from toolkit.mcp.serving.http_requests import HttpAccess, serve_application
from toolkit.tools.base import Tool
from toolkit.webhooks.webhook_messages import NoAnswerError
from toolkit_cli import console
from toolkit_cli.serving.places import Place, listening_socket, run_until_interrupted
from toolkit_cli.serving.tool_page import shown_tools
from toolkit_cli.serving.tool_page.page_calls import PageCalls

if TYPE_CHECKING:
    from toolkit_cli.running.sessions import Session

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def serve_page(
    session: "Session", tools: Mapping[str, Tool], targets: Sequence[str], port: int, ready: Callable[[str], None]
) -> int:
    """Serve the page until interrupted, and return the exit code.

    Args:
        session: The session of the command.
        tools: The tools, by name.
        targets: The targets as typed.
        port: The port; 0 for any free port.
        ready: Called with the address of the page when it can be opened.
    """
    token = token_urlsafe(24)
    console.redactor().learn(token)
    place = Place("127.0.0.1", port)
    with listening_socket(place) as listener:
        actual = listener.getsockname()[1]
        access = HttpAccess.at(place.names, actual, token)._replace(open_paths=("/",))

        async def serve() -> None:
            page = _Page(session, tools, targets)
            address = f"http://127.0.0.1:{actual}/#{token}"
            await serve_application(page.application(), listener, access, lambda: ready(address), page.calls.close)

        return run_until_interrupted(serve)


class _Page:
    def __init__(self, session: "Session", tools: Mapping[str, Tool], targets: Sequence[str]) -> None:
        self._session, self._tools, self._targets = session, tools, targets
        self.calls = PageCalls(session)

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._shell),
                Route("/tools", self._list),
                Route("/findings", self._findings),
                Route("/sent", self._sent),
                Route("/call", self._call, methods=["POST"]),
                Route("/answer", self._answer, methods=["POST"]),
            ]
        )

    async def _shell(self, _: Request) -> Response:
        style, script = _own("page.css"), _own("page.js")
        page = _own("page.html").replace("{{style}}", style).replace("{{script}}", script)
        policy = (
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return Response(page, media_type="text/html", headers={**_HEADERS, "Content-Security-Policy": policy})

    async def _list(self, _: Request) -> Response:
        return await _answered(
            lambda: {"targets": self._targets, "tools": [*map(shown_tools.tool_record, self._tools.values())]}
        )

    async def _findings(self, _: Request) -> Response:
        return await _answered(lambda: shown_tools.findings_of(self._session, self._targets))

    async def _sent(self, request: Request) -> Response:
        tool = self._tools.get(request.query_params.get("tool", ""))
        if tool is None:
            return _refusal("unknown tool", 404)
        return await _answered(
            lambda: {"sent": shown_tools.sent_definitions(tool), "run": shown_tools.last_run_of(tool)}
        )

    async def _call(self, request: Request) -> Response:
        try:
            wanted = json.loads(await request.body())
            tool, arguments = self._tools[wanted["tool"]], wanted["arguments"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return _refusal("a call has a known tool and its arguments", 400)
        if not isinstance(arguments, str):
            return _refusal("the arguments of a call are JSON in a string", 400)
        lines = _lines(self.calls.call(tool, arguments))
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=_HEADERS)

    async def _answer(self, request: Request) -> Response:
        body = await request.body()
        question = self.calls.questions.get(request.query_params.get("id", ""))
        if question is None or question.is_answered:
            return _refusal("this question is not open any longer", 409)
        try:
            question.take(body)
        except NoAnswerError as error:
            return _refusal(f"the answer is not valid: {error}", 400)
        return Response(status_code=204, headers=_HEADERS)


async def _lines(said: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    try:
        async for one in said:
            yield f"{console.json_without_secrets(one)}\n"
    finally:
        await said.aclose()  # type: ignore[attr-defined]  # a generator, which ends with the response


async def _answered(work: Callable[[], Any]) -> Response:
    text = await run_in_threadpool(lambda: console.json_without_secrets(work()))
    return Response(text, media_type="application/json", headers=_HEADERS)


def _refusal(message: str, status: int) -> Response:
    return PlainTextResponse(f"{message}\n", status, headers=_HEADERS)


def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

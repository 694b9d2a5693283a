"""Why servers cannot be reached or used: the step that fails, a reason in one line, and a fix."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from toolkit.amounts import format_duration
from toolkit.fetching import status_in_words
from toolkit.mcp.settings.server_settings import HttpServer, McpServer, StdioServer, expand
from toolkit.mcp.sign_in.providers import Challenge
from toolkit.problems import did_you_mean

StepName = Literal[
    "configuration",
    "consent",
    "command",
    "address",
    "connection",
    "tls",
    "process",
    "authorization",
    "protocol",
    "tools",
    "limits",
    "call",
    "ping",
]
"""What can fail between the settings of a server and a call of one of its tools."""


class Reason(NamedTuple):
    """Why a server cannot be used.

    Attributes:
        step: The step that fails.
        text: The reason, as the predicate of a sentence about the server.
        fix: How to fix it; empty if that is not known.
        status: The HTTP status that the server answered with, if that is the reason.
        header: The header that says more: `WWW-Authenticate`, or the target of a redirect.
    """

    step: StepName
    text: str
    fix: str = ""
    status: int | None = None
    header: str = ""

    @property
    def sentence(self) -> str:
        """The reason in one line; that of an HTTP status includes the fix."""
        return f"{self.text}{'; ' if ':' in self.text else ': '}{self.fix}" if self.status and self.fix else self.text


_NEGOTIATED: Mapping[int, int] = {400: INTERNAL_ERROR, 404: METHOD_NOT_FOUND, 405: INTERNAL_ERROR}
"""Statuses that can mean an older protocol, and the error codes by which the SDK recognizes that."""
_SESSION = "mcp-session-id"
"""In a session, the SDK handles these statuses itself: the session has expired, or there is no event stream."""
_ADVICE: Mapping[int, tuple[str, str]] = {
    401: ("", "check the credentials in its 'headers'"),
    403: ("these credentials do not allow this request", "ask the server's operator for access"),
    404: ("nothing answers at its 'url'", "check the path"),
    405: ("its 'url' does not accept requests of the protocol", "check the path"),
    407: ("the proxy requires credentials", "set them in HTTPS_PROXY"),
    408: ("it timed out waiting for the request", "try again"),
    413: ("the arguments are too large for it", ""),
    429: ("too many requests", "wait, or retry with a longer backoff"),
    500: ("it failed internally", "see its own log"),
    502: ("a gateway cannot reach it", "try again later"),
    503: ("it is overloaded or being restarted", "try again later"),
    504: ("a gateway timed out waiting for it", "try again later"),
}
"""What statuses mean, and how to fix them."""
_OF_AUTHORIZATION: Final = frozenset({401, 403, 407})


class ExplainingClient(httpx2.AsyncClient):
    """An HTTP client that converts error responses to JSON-RPC errors, unless the server sends one itself."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and return the response or a JSON-RPC error that explains its status."""
        response = await super().send(request, **options)
        status = response.status_code
        if status < HTTPStatus.BAD_REQUEST or (status in _NEGOTIATED and _SESSION in request.headers):
            return response
        await response.aread()
        needs_sign_in = self.auth is not None and Challenge.of(response) is not None
        if request.method != "POST" or (_is_json_rpc(response) and not needs_sign_in):
            return response
        data = {_STATUS: status, _HEADER: response.headers.get("www-authenticate", "")}
        message = reason_of_status(status).sentence.removeprefix(_ANSWERED)
        error = {"code": _NEGOTIATED.get(status, status), "message": message, "data": data}
        body = {"jsonrpc": "2.0", "id": None, "error": error}
        return httpx2.Response(status, json=body, request=request)


_ANSWERED: Final = "answered with "
_STATUS: Final = "toolkit/status"
_HEADER: Final = "toolkit/header"


def reason_of_status(status: int, header: str = "") -> Reason:
    """Return what an HTTP status means.

    Args:
        status: The status.
        header: The header `WWW-Authenticate` of the answer.
    """
    name = status_in_words(status)
    meaning, fix = _ADVICE.get(status, ("", ""))
    text = f"{_ANSWERED}{name}: {meaning}" if meaning else f"{_ANSWERED}{name}"
    return Reason("authorization" if status in _OF_AUTHORIZATION else "protocol", text, fix, status, header)


def is_status(code: int) -> bool:
    """Return whether an error code is an HTTP error status."""
    return HTTPStatus.BAD_REQUEST <= code < 600  # noqa: PLR2004 - the end of the range of HTTP statuses


def _is_json_rpc(response: httpx2.Response) -> bool:
    try:
        body = response.json()
    except ValueError:
        return False
    return isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("error"), dict)


UNREADABLE = "Failed to parse"
"""Prefix of error messages about answers that cannot be parsed; the SDK uses the same one over HTTP."""

_END = 1024
_FIRST_ID = re.compile(rb'\s*\{[^{}\[\]]*?"id"\s*:\s*(\d{1,18})\s*[,}]')
_LAST_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*(?:,[^{}\[\]]*)?\}\s*$')
_METHOD = re.compile(rb'"method"\s*:')


def message_of(line: bytes) -> JSONRPCMessage | ValueError:
    """Return the message in a line, a JSON-RPC error for an answer that cannot be parsed, or a `ValueError`."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        identity = _answered_by(line)
        if identity is None:
            return error
        fault = ErrorData(code=PARSE_ERROR, message=f"{UNREADABLE} the answer: {error}"[:_END])
        return JSONRPCError(jsonrpc="2.0", id=identity, error=fault)


def _answered_by(line: bytes) -> int | None:
    """Return the id of the request that a line answers, if it can be found; the ids of our requests are numbers."""
    try:
        value: Any = json.loads(line)
    except RecursionError:
        return _number_in(line)
    except ValueError:
        return _number_in(line) if line.lstrip()[:1] == b"{" else None
    identity = value.get("id") if isinstance(value, dict) and "method" not in value else None
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _number_in(line: bytes) -> int | None:
    """Return the request id if it comes before the first or after the last nested value of the message."""
    if _METHOD.search(line[:_END]):
        return None
    found = _FIRST_ID.match(line) or _LAST_ID.search(line[-_END:])
    return int(found[1]) if found else None


_CLOSED = "Connection closed"
_CUT_OFF = "SSE stream "


def is_lost(error: MCPError, *, has_ended: bool) -> bool:
    """Return whether an error means that the connection was lost.

    The SDK reports a lost connection with the code -32000, which servers also use for their own errors.

    Args:
        error: The error.
        has_ended: Whether the session has ended.
    """
    return error.code == CONNECTION_CLOSED and (
        has_ended or error.message == _CLOSED or error.message.startswith(_CUT_OFF)
    )


def is_unreadable(error: MCPError) -> bool:
    """Return whether an error means that an answer could not be parsed."""
    return error.code == PARSE_ERROR and error.message.startswith(UNREADABLE)


def fault_of_answer(error: MCPError) -> str:
    """Return what is wrong with an answer that could not be parsed."""
    if "recursion limit" in error.message:
        return "its answer is nested too deeply"
    if "Invalid JSON" in error.message:
        return "its answer is not JSON"
    return "its answer is not a message of the protocol"


class WrongEra(ValueError):
    """Raised if a server speaks another version of the protocol than its settings require."""


def reason_of(error: BaseException, server: McpServer, *, has_ended: bool) -> Reason:
    """Return why a server could not be reached or used."""
    leaf = leaf_of(error)
    if isinstance(leaf, TimeoutError):
        text = str(leaf) or f"has not answered within {format_duration(server.start_timeout)}"
        return Reason("protocol", text, _fix_of_silence(server))
    if isinstance(server, StdioServer) and isinstance(leaf, OSError):
        fix = f"check the first line of '{server.program}'" if isinstance(leaf, FileNotFoundError) else ""
        return fault_of_command(server) or Reason("command", f"cannot be started: {_in_words(leaf)}", fix)
    if isinstance(leaf, MCPError):
        return _reason_of_answer(leaf, server, has_ended=has_ended)
    if isinstance(leaf, WrongEra):
        return Reason("protocol", f"cannot be used: {leaf}", "write protocol = 'auto' in its settings")
    if isinstance(leaf, ValueError) and type(leaf) is not ValueError:
        text = f"sent an answer that cannot be read: {words_of(leaf)}"
        return Reason("protocol", text, "the server's author has to fix it")
    if isinstance(leaf, OSError) or type(leaf).__module__.partition(".")[0] in {"httpx2", "httpcore2"}:
        return Reason("connection", f"cannot be reached at {server.line}: {words_of(leaf)}", "check its 'url'")
    if (version := _UNKNOWN_VERSION.match(str(leaf))) is not None:
        text = f"speaks version {version[1]} of the protocol, which toolkit does not know"
        return Reason("protocol", text, f"update the server to one of {', '.join(_VERSIONS)}")
    return Reason("protocol", f"cannot be used: {words_of(leaf)}", "the server's author has to fix it")


_UNKNOWN_VERSION: Final = re.compile(r"Unsupported protocol version from the server: (\S+)")
_VERSIONS: Final = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)


def _fix_of_silence(server: McpServer) -> str:
    if isinstance(server, StdioServer):
        return "run its command by hand to see what it waits for, or raise its 'start_timeout'"
    return "see the server's own log, or raise its 'start_timeout'"


def fault_of_command(server: StdioServer) -> Reason | None:
    """Return why the command of a server cannot be started, or `None` if it can.

    Raises:
        ConfigurationError: If a variable that the command refers to is not set.
    """
    if server.cwd is not None and not server.cwd.is_dir():
        return Reason("command", f"cannot be started: there is no folder '{server.cwd}'", "correct its 'cwd'")
    if server.program is not None:
        return None
    command = expand(server.command, f"MCP server '{server.name}'")
    if os.sep in command:
        file = (server.cwd or Path.cwd()) / command
        if not file.exists():
            near = did_you_mean(file.name, _names_in(file.parent), before=f"{file.parent}{os.sep}")
            return Reason("command", f"cannot be started: there is no program '{command}'", near or "correct the path")
        return Reason("command", f"cannot be started: '{command}' is not executable", f"run: chmod +x {command}")
    near = did_you_mean(command, {name for folder in os.get_exec_path() for name in _names_in(Path(folder))})
    fix = near or f"install '{command}', or write the path of the program as its 'command'"
    return Reason("command", f"cannot be started: there is no program '{command}' on PATH", fix)


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the names of the files in a folder; none if it cannot be read."""
    try:
        yield from (file.name for file in folder.iterdir())
    except OSError:
        return


def _reason_of_answer(error: MCPError, server: McpServer, *, has_ended: bool) -> Reason:
    if is_lost(error, has_ended=has_ended):
        step: StepName = "process" if isinstance(server, StdioServer) else "protocol"
        fix = "run its command by hand to see why" if step == "process" else "see the server's own log"
        return Reason(step, "ended before it had answered", fix)
    if is_unreadable(error):
        text = f"violated the protocol: {fault_of_answer(error)}"
        return Reason("protocol", text, "the server's author has to fix it")
    data = error.error.data if isinstance(error.error.data, dict) else {}
    if isinstance(status := data.get(_STATUS), int):
        return reason_of_status(status, str(data.get(_HEADER, "")))
    if (content := _UNEXPECTED.fullmatch(error.message)) is not None:
        text = f"answered with {content[1] or 'nothing'} instead of a message of the protocol"
        return Reason("protocol", text, "check the path of its 'url'")
    if isinstance(server, HttpServer) and (found := _REDIRECT.match(error.message)) is not None:
        text, fix = f"redirects to {found[1]}, which is not followed", f"if you trust it, write url = '{found[1]}'"
        return Reason("protocol", text, fix, header=found[1])
    fix = "write protocol = 'auto' in its settings" if _may_be_newer(error, server) else "see the server's own log"
    return Reason("protocol", f"{_ANSWERED}an error: {error.message}", fix)


_UNEXPECTED: Final = re.compile(r"Unexpected content type: ?([^;]*)(?:;.*)?")
_REDIRECT: Final = re.compile(r"Redirect to (\S+) not followed")


def _may_be_newer(error: MCPError, server: McpServer) -> bool:
    """Return whether an error may mean that the server only speaks a newer protocol than its settings require."""
    return server.protocol == "handshake" and error.code in {METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION}


def _in_words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def leaf_of(error: BaseException) -> BaseException:
    """Return the first exception that is not a group inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def words_of(error: BaseException) -> str:
    """Return the message of an exception in one line; for a validation error, the location and the first message."""
    leaf = leaf_of(error)
    if (listed := getattr(leaf, "errors", None)) is not None and callable(listed):  # a validation error
        first = listed()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    lines = str(leaf).strip().splitlines()
    return lines[0] if lines else type(leaf).__name__

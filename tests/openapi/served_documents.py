"""A server that connexion generates from an OpenAPI document, with a record of every request as it arrives."""

import gc
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import uvicorn

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # connexion 3.3 uses a part of jsonschema that is deprecated
    from connexion import AsyncApp
    from connexion.resolver import Resolver


class Received(NamedTuple):
    """A request as it arrived.

    Attributes:
        method: The method.
        target: The path and the query, as they were sent.
        headers: The headers in their order; names in lower case.
        body: The body.
        read: What the server made of the parameters and the body; `None` if it refused the request.
        status: The status of the answer.
    """

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    read: Mapping[str, Any] | None
    status: int


class Served(NamedTuple):
    """A server: its address, and what arrived so far."""

    url: str
    received: list[Received]


class _Recorder:
    """Records each request before the server reads it, and what becomes of it."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.received: list[Received] = []
        self.read: Mapping[str, Any] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        body += message["body"]
        messages, status, self.read = [{**message, "body": body, "more_body": False}], 0, None

        async def receive_again() -> Any:
            return messages.pop() if messages else await receive()

        async def send_on(answer: Any) -> None:
            nonlocal status
            status = answer.get("status", status)
            await send(answer)

        await self.app(scope, receive_again, send_on)
        query = scope["query_string"].decode("ascii")
        target = scope["raw_path"].decode("ascii") + (f"?{query}" if query else "")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.received.append(Received(scope["method"], target, headers, body, self.read, status))


@contextmanager
def served(document: Mapping[str, Any]) -> Iterator[Served]:
    """Run the server of a document on the loopback, whose operations answer with the arguments that they were given."""
    app = AsyncApp(__name__)

    def answer(**arguments: Any) -> Any:
        recorder.read = arguments
        return {"read": {name: str(value) for name, value in arguments.items()}}

    app.add_api(dict(document), resolver=Resolver(lambda _: answer))
    recorder = _Recorder(app)
    server = uvicorn.Server(uvicorn.Config(recorder, port=0, log_level=logging.CRITICAL))
    started = threading.Event()
    thread = threading.Thread(target=_run, args=(server, started), daemon=True)
    thread.start()
    started.wait(20)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Served(f"http://127.0.0.1:{port}", recorder.received)
    finally:
        server.should_exit = True
        thread.join()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # connexion does not close the files of forms
            gc.collect()


def _run(server: uvicorn.Server, started: threading.Event) -> None:
    startup = server.startup

    async def startup_and_say_so(*arguments: Any, **options: Any) -> None:
        await startup(*arguments, **options)
        started.set()

    server.startup = startup_and_say_so  # type: ignore[method-assign]
    server.run()

"""A small HTTP server that receives later answers, shared by all open questions."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from toolkit.approvals.decisions import Decision
from toolkit.webhooks.webhook_messages import MOST_BYTES, NoAnswerError

if TYPE_CHECKING:
    import asyncio

Read = Callable[[Mapping[str, str], bytes], Decision]
"""Reads a decision from the headers and the body of an answer, or raises `NoAnswerError`."""

_SECONDS = 10


class Callbacks:
    """Receives answers while questions are open."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Future[Decision], Read]] = {}
        self._server: ThreadingHTTPServer | None = None

    @contextmanager
    def awaiting(self, identity: str, read: Read) -> "Iterator[asyncio.Future[Decision]]":
        """Yield a future for the answer to a question; the server runs as long as a question is open.

        Raises:
            OSError: If the server cannot listen at its address.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Decision] = loop.create_future()
        with self._lock:
            if self._server is None:
                self._server = _listening(self._address, self.accept)
            self._waiting[identity] = (loop, future, read)
        try:
            yield future
        finally:
            with self._lock:
                del self._waiting[identity]
                server, self._server = (None, self._server) if self._waiting else (self._server, None)
            if server is not None:
                server.shutdown()
                server.server_close()

    def accept(self, identity: str, headers: Mapping[str, str], body: bytes) -> HTTPStatus:
        """Accept an answer, and return the status for its sender; only the first answer to a question counts."""
        with self._lock:
            waiting = self._waiting.get(identity)
        if waiting is None:
            return HTTPStatus.NOT_FOUND
        loop, future, read = waiting
        try:
            decision = read(headers, body)
        except NoAnswerError:
            return HTTPStatus.FORBIDDEN
        loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(decision))
        return HTTPStatus.NO_CONTENT


def _listening(address: tuple[str, int], accept: Callable[..., HTTPStatus]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        timeout = _SECONDS

        def do_POST(self) -> None:  # http.server sets the name
            length = self.headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal()) or int(length) > MOST_BYTES:
                self._respond(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                return
            body = self.rfile.read(int(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._respond(accept(self.path.rpartition("/")[2], headers, body))

        def _respond(self, status: HTTPStatus) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing: the library is silent."""

    server = ThreadingHTTPServer(address, Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server

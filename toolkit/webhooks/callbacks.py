"""Callbacks: where answers that come later are received, one small server for all open questions."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from toolkit.approvals.decisions import Decision
from toolkit.webhooks.answers import MOST_BYTES, NoAnswerError

if TYPE_CHECKING:
    import asyncio

Read = Callable[[Mapping[str, str], bytes], Decision]
"""Makes a decision of the headers and the body of an answer, or raises NoAnswerError."""

_SECONDS = 10


class Callbacks:
    """Receives answers while questions are open."""

    def __init__(self, host: str, port: int) -> None:
        """Listen nowhere yet."""
        self._place = (host, port)
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Future[Decision], Read]] = {}
        self._server: ThreadingHTTPServer | None = None

    @contextmanager
    def awaiting(self, identity: str, read: Read) -> "Iterator[asyncio.Future[Decision]]":
        """Enter while the answer to a question may come; the server listens as long as one is open.

        Raises:
            OSError: If it cannot listen.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Decision] = loop.create_future()
        with self._lock:
            if self._server is None:
                self._server = _listening(self._place, self.take)
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

    def take(self, identity: str, headers: Mapping[str, str], body: bytes) -> HTTPStatus:
        """Take an answer, and return the reply to its sender; of two answers to a question the first counts."""
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


def _listening(place: tuple[str, int], take: Callable[..., HTTPStatus]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        timeout = _SECONDS

        def do_POST(self) -> None:  # the name is given
            length = self.headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal()) or int(length) > MOST_BYTES:
                self._tell(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                return
            body = self.rfile.read(int(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._tell(take(self.path.rpartition("/")[2], headers, body))

        def _tell(self, status: HTTPStatus) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing: the library is silent."""

    server = ThreadingHTTPServer(place, Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server

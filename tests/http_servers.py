"""HTTP servers on the loopback, which answer as a test says."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    """A request; the names of its headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Answer = tuple[int, Mapping[str, str], bytes]
"""The status, the headers and the body of an answer."""


@contextmanager
def http_server(answer: Callable[[Asked], Answer], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Run a server that answers each request in its own thread; yield its URL, without a slash at the end.

    Args:
        answer: Returns the answer to a request.
        tls: The context with its certificate, for a server over HTTPS.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, said = answer(Asked(self.command, self.path, headers, body))
            self.send_response(status)
            for name, value in {**more, "Content-Length": str(len(said))}.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # a client may have hung up
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else said)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815 - as the base class calls them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()

"""A reviewer that posts each question to a URL and receives the answer immediately or later.

Later answers are received by a small HTTP server, which all open questions share.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from toolkit.approvals.decisions import Decision, Reject, ReviewRequest
from toolkit.errors import ConfigurationError
from toolkit.json_texts import as_plain
from toolkit.webhooks.webhook_messages import MOST_BYTES, NoAnswerError, payload_of, read_answer, signed

if TYPE_CHECKING:
    import asyncio

    from toolkit.fetching import Fetched, Fetcher


_DONE, _LATER = 200, 202
_FEWEST_CHARACTERS = 16
_PASSING = {429, 500, 502, 503, 504}
"""Response statuses after which a poll is repeated, as long as the question is open."""


class WebhookReviewer:
    """Sends each question to a URL, signed with a shared secret, and accepts only signed answers.

    The webhook responds with status 200 and the decision, or with 202 to decide later. A later answer is polled from
    the path in the response (`{"poll": "/answers/17"}`) or received at the callback URL. The call is not approved if
    the webhook responds in any other way, or does not answer before the question times out.

    Example:
        >>> from toolkit import ToolContext
        >>> from toolkit.webhooks import WebhookReviewer
        >>> reviewer = WebhookReviewer("https://approvals.example.com/review", "a secret of many letters")
        >>> context = ToolContext(reviewer=reviewer)
    """

    def __init__(
        self,
        url: str,
        secret: str,
        *,
        poll: float = 2.0,
        timeout: float = 30.0,
        private_hosts: Collection[str] = (),
        listen: str | None = None,
        callback: str | None = None,
    ) -> None:
        """Create the reviewer; no request is sent yet.

        Args:
            url: The URL that questions are posted to.
            secret: The shared secret; at least 16 characters.
            poll: Polling interval for a later answer, in seconds.
            timeout: Timeout of one request, in seconds; the question's own timeout limits the wait for an answer.
            private_hosts: Hosts that are allowed to be in a private network, each as `host` or `host:port`.
            listen: Address to receive answers at, as `host:port`.
            callback: Public URL of that address, as the webhook sees it.

        Raises:
            ConfigurationError: If the secret is too short, or only one of `listen` and `callback` is given.
        """
        if len(secret) < _FEWEST_CHARACTERS:
            message = f"the secret of the webhook has fewer than {_FEWEST_CHARACTERS} characters"
            raise ConfigurationError(f"{message}; make one with: openssl rand -hex 32")
        if (listen is None) != (callback is None):
            raise ConfigurationError("a webhook needs both 'listen' and 'callback', or neither")
        self._url, self._secret, self._poll, self._timeout = url, secret, poll, timeout
        self._private_hosts = tuple(private_hosts)
        self._callback = callback
        self._callbacks = None if listen is None else _callbacks_at(listen)

    async def review(self, request: ReviewRequest) -> Decision:
        """Send a question and return the decision; anything that is not a valid answer rejects the call."""
        from toolkit.fetching import FetchError  # slow to import

        if request.form is not None:
            return Reject("a webhook cannot fill in forms")
        try:
            return await self._decision(request)
        except NoAnswerError as error:
            return Reject(f"the webhook's answer is not valid: {error}")
        except (FetchError, OSError) as error:
            return Reject(f"the webhook cannot be reached: {error}")

    async def _decision(self, request: ReviewRequest) -> Decision:
        identity = token_hex(16)

        def read(headers: Mapping[str, str], body: bytes) -> Decision:
            return read_answer(self._secret, headers, body, identity, request)

        receiving = nullcontext() if self._callbacks is None else self._callbacks.awaiting(identity, read)
        with receiving as received:
            answer = await self._sent(request, identity)
            if answer.status == _DONE:
                return read(answer.headers, _whole(answer))
            if answer.status != _LATER:
                raise NoAnswerError(f"it has the status {answer.status}")
            if received is not None:
                return await received
            poll_url = self._poll_url(answer)
            while (answer := await self._polled(poll_url, identity)).status in {_LATER, *_PASSING}:
                pass
            if answer.status != _DONE:
                raise NoAnswerError(f"it has the status {answer.status}")
            return read(answer.headers, _whole(answer))

    async def _sent(self, request: ReviewRequest, identity: str) -> "Fetched":
        callback = None if self._callback is None else f"{self._callback.rstrip('/')}/{identity}"
        payload = payload_of(request, identity, callback)
        body = json.dumps(payload, default=as_plain, ensure_ascii=True).encode()
        headers = {"Content-Type": "application/json", **signed(self._secret, "review", body)}
        return await self._fetcher.fetch("POST", self._url, headers, body)

    async def _polled(self, poll_url: str, identity: str) -> "Fetched":
        import asyncio

        await asyncio.sleep(self._poll)
        return await self._fetcher.fetch("GET", poll_url, signed(self._secret, "poll", identity.encode()))

    def _poll_url(self, answer: "Fetched") -> str:
        """Return the URL to poll for the answer.

        Raises:
            NoAnswerError: If the response has no such URL, or it is on another server.
        """
        try:
            data = json.loads(_whole(answer))
        except (ValueError, RecursionError):
            data = None
        named = data.get("poll") if isinstance(data, dict) else None
        if not isinstance(named, str):
            raise NoAnswerError("it does not name a URL to poll")
        poll_url = urljoin(self._url, named)
        if urlsplit(poll_url)[:2] != urlsplit(self._url)[:2]:
            raise NoAnswerError("its URL to poll is on another server")
        return poll_url

    @property
    def _fetcher(self) -> "Fetcher":
        from toolkit.address_guard import AddressGuard  # only needed to send a question
        from toolkit.fetching import Fetcher

        return Fetcher(AddressGuard(self._private_hosts), self._timeout, MOST_BYTES)


def _callbacks_at(listen: str) -> "Callbacks":

    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigurationError(f"'{listen}' is not an address to listen at: write host:port, such as 127.0.0.1:8765")
    return Callbacks(host, int(port))


def _whole(answer: "Fetched") -> bytes:
    if answer.is_cut:
        raise NoAnswerError("it is too long")
    return answer.body


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

"""Serve an ASGI application over HTTP on a socket that is already listening, to those who may use it.

When the server shuts down, streams that would stay open forever and requests that are still arriving are ended.
"""

import asyncio
import contextlib
import hmac
import logging
import socket
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import uvicorn
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol


class EndingRequests:
    """ASGI middleware that ends the open requests of an application when it is closed."""

    def __init__(self, application: ASGIApp) -> None:
        """Wrap an application, in the event loop that serves it."""
        self._application = application
        self._closing = _Closing()

    def close(self) -> None:
        """End all requests that only wait for the client."""
        self._closing.begin()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        request = _Request(scope, receive, send, self._closing)
        try:
            await self._application(scope, request.receive, request.send)
        except BaseException:
            if not self._closing.has_begun:
                raise  # otherwise ignored, because the server ends anyway
        if self._closing.has_begun:
            await request.finish()


class _Closing:
    """Whether the server is shutting down; if so, nothing waits for a client any longer."""

    def __init__(self) -> None:
        self.has_begun = False
        self._limits: set[asyncio.Timeout] = set()

    def begin(self) -> None:
        """End everything that is waiting."""
        self.has_begun = True
        while self._limits:
            self._limits.pop().reschedule(0.0)  # long ago, so at once

    async def receive(self, receive: Receive) -> Message | None:
        """Return the next message, or `None` if the server shuts down first."""
        limit = asyncio.timeout_at(0.0 if self.has_begun else None)
        try:
            async with limit:  # takes a fraction of the time of two tasks, one of which is cancelled
                self._limits.add(limit)
                return await receive()
        except TimeoutError:
            if limit.expired():
                return None
            raise
        finally:
            self._limits.discard(limit)


class _Request:
    def __init__(self, scope: Scope, receive: Receive, send: Send, closing: _Closing) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._closing = closing
        self._is_received = False
        self._has_begun = False
        self._is_answered = False

    async def receive(self) -> Message:
        """Return the next message, or a disconnect if the server shuts down first."""
        if self._is_received and self._scope["method"] != "GET":
            return await self._receive()
        message = await self._closing.receive(self._receive)
        if message is None:
            return {"type": "http.disconnect"}
        self._is_received = message["type"] == "http.request" and not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        self._has_begun = True
        self._is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def finish(self) -> None:
        """Complete the response, or send one if the application has not sent any."""
        with suppress(OSError):
            if not self._has_begun:
                await PlainTextResponse("the server is shutting down\n", 503)(self._scope, self._receive, self._send)
            elif not self._is_answered:
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})


LONGEST_BODY = 4 * 1024 * 1024
"""Maximum size of a request body in bytes."""

SLOWEST_BODY = 30.0
"""Timeout for receiving a request body, in seconds."""

_BEARER = "bearer "
_SHORT_BODY = 64 * 1024
_SHORT_WHILE = 5.0


class Admission(Protocol):
    """Decides about requests by more than their `Host`, `Origin` and bearer token."""

    async def admit(self, scope: Scope) -> Response | None:
        """Return the answer to a request before its body is read, or `None` if the application may receive it."""

    def refusal_of_call(self, scope: Scope, body: bytes) -> Response | None:
        """Return the response that refuses a request because of its body, or `None`."""


class HttpAccess(NamedTuple):
    """Which requests are allowed.

    Attributes:
        hosts: The allowed values of the `Host` header.
        origins: The allowed values of the `Origin` header, if a request has one.
        token: The bearer token that every request must contain, or `None`.
        path: The only path at which something is served; `None` if the application knows its paths.
        open_paths: The paths that need no token.
        admission: Decides about the requests that all of this allows, or `None`.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | None = None
    path: str | None = None
    open_paths: Collection[str] = ()
    admission: Admission | None = None

    @classmethod
    def at(cls, hosts: Iterable[str], port: int, token: str | None = None) -> "HttpAccess":
        """Return the access of a server with these host names; a name with a port is used unchanged."""
        named = {host.lower() for host in hosts}
        full = {host if _has_port(host) else f"{host}:{port}" for host in named}
        full |= {host for host in named if not _has_port(host) and port in (80, 443)}
        schemes = ("http", "https")
        return cls(frozenset(full), frozenset(f"{scheme}://{host}" for host in full for scheme in schemes), token)

    def refusal(self, scope: Scope) -> Response | None:
        """Return the response that refuses a request, or `None` if the request is allowed."""
        headers: list[tuple[str, str]] = [
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        hosts = [value for name, value in headers if name == "host"]
        advice = "" if self.path is None else "; allow its host with --allow-host"
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse(f"this Host is not allowed{advice}\n", 421)
        if any(value.lower() not in self.origins for name, value in headers if name == "origin"):
            return PlainTextResponse(f"this Origin is not allowed{advice}\n", 403)
        is_open = scope["path"] in self.open_paths
        if self.token is not None and not is_open and not _carries(headers, self.token):
            return PlainTextResponse("a bearer token is required\n", 401, {"WWW-Authenticate": "Bearer"})
        if self.path is not None and not is_open and scope["path"].rstrip("/") != self.path:
            return PlainTextResponse(f"nothing is served here; the server is at {self.path}\n", 404)
        return None


class Guard:
    """ASGI middleware that refuses requests before they reach the application."""

    def __init__(self, application: ASGIApp, access: HttpAccess) -> None:
        self._application = application
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        admission = self._access.admission
        answer = self._access.refusal(scope)
        if answer is None and admission is not None:
            answer = await admission.admit(scope)
        if answer is not None:
            await _discard_body(receive)
            await answer(scope, receive, send)
            return
        try:
            async with asyncio.timeout(SLOWEST_BODY):
                body = await _body_of(receive)
        except TimeoutError:
            await PlainTextResponse("the body was not received in time\n", 408)(scope, receive, send)
            return
        if body is None:
            await PlainTextResponse(f"the body has more than {LONGEST_BODY} bytes\n", 413)(scope, receive, send)
        elif body["type"] == "http.request":  # not if the client has disconnected
            refusal = admission.refusal_of_call(scope, body["body"]) if admission is not None else None
            await (refusal or self._application)(scope, _replaying(body, receive), send)


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdecimal() and not host.endswith("]")


def _carries(headers: list[tuple[str, str]], token: str) -> bool:
    given = [value for name, value in headers if name == "authorization"]
    if len(given) != 1 or not given[0].lower().startswith(_BEARER):
        return False
    return hmac.compare_digest(given[0][len(_BEARER) :].strip().encode(), token.encode())


async def _body_of(receive: Receive) -> Message | None:
    """Return the whole body as a single message, `None` if it is too long, or the message of a disconnected client."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > LONGEST_BODY:
            return None
        if not message.get("more_body", False):
            return {"type": "http.request", "body": bytes(body), "more_body": False}


async def _discard_body(receive: Receive) -> None:
    """Read and discard the body of a refused request, if it is short and arrives soon.

    A client that is still sending when the connection is closed may report a broken connection instead of the response.
    """
    received = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_SHORT_WHILE):
            while received <= _SHORT_BODY:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                received += len(message.get("body", b""))


def _replaying(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


_KEPT_ALIVE = 30
_MOST_CONNECTIONS = 1_000
_LAST_WORDS = 2
_LONGEST_HEAD = 64 * 1024
"""Maximum size of request headers in bytes, the same as the limit of the parser in Python."""


async def serve_application(
    application: ASGIApp,
    listener: socket.socket,
    access: HttpAccess,
    ready: Callable[[], None],
    close: Callable[[], None],
) -> None:
    """Serve clients until this is cancelled.

    Args:
        application: The application.
        listener: The listening socket.
        access: Which requests are allowed.
        ready: Called when clients can connect.
        close: Ends what the application does, such as calls in progress; called at shutdown.
    """
    requests = EndingRequests(Guard(application, access))
    config = uvicorn.Config(
        requests,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEPT_ALIVE,
        timeout_graceful_shutdown=_LAST_WORDS,
    )
    carrier = _Carrier(config, ready)
    serving = asyncio.create_task(carrier.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    finally:
        requests.close()
        close()
        carrier.should_exit = True
        with _silence(), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS + 1):
                await serving


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress log messages of the HTTP server at shutdown: it logs cancelled requests as errors."""
    log = logging.getLogger("uvicorn.error")
    log.addFilter(_nothing)
    yield
    log.removeFilter(_nothing)  # not reached after a second signal, so that later cancellations are not logged


def _nothing(record: logging.LogRecord) -> bool:  # noqa: ARG001 - `logging` passes it
    return False


class _Carrier(uvicorn.Server):
    """The HTTP server, without signal handlers: the program handles signals itself."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


_Parsing: Any = AutoHTTPProtocol  # the parser in C if it is installed, or else the one in Python


class _JoinedWrites:
    """A transport that sends with one write what is written in one go, such as the head and the body of a response."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        """Return anything else of the transport."""
        return getattr(self._transport, name)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, []
            self._transport.write(b"".join(held))


class _Protocol(_Parsing):  # type: ignore[misc]  # it has no type
    """A connection, which is closed if it sends no complete request headers in time, or too long ones."""

    _is_in_head = False
    _size_of_head = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(_JoinedWrites(transport, self.loop))
        self._watch = self.loop.call_later(SLOWEST_BODY, self._close_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._size_of_head = self._size_of_head + len(data) if self._is_in_head else 0
        if self._size_of_head > _LONGEST_HEAD:  # only the parser in Python has a limit of its own
            self.transport.close()

    def on_message_begin(self) -> None:
        """Note that request headers begin; the parser in C calls this."""
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header without the blanks around its value (RFC 9110, 5.5), where the parser in C leaves them."""
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Note that request headers are complete; the parser in C calls this."""
        self._is_in_head = False
        super().on_headers_complete()

    def _close_if_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():  # no request headers were complete yet
            self.transport.close()

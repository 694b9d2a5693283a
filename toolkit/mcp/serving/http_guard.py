"""Decide which HTTP requests reach the server.

Web pages in a browser can send requests to servers on the loopback interface, so requests are checked even there: the
`Host`, the `Origin` of the page and the bearer token, if one is set; then the size of the body and how long it takes.
"""

import asyncio
import hmac
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
"""The URL path of the server."""

LONGEST_BODY = 4 * 1024 * 1024
"""Maximum size of a request body in bytes."""

SLOWEST_BODY = 30.0
"""Timeout for receiving a request body, in seconds."""

_BEARER = "bearer "
_SHORT_BODY = 64 * 1024
_SHORT_WHILE = 5.0


class HttpAccess(NamedTuple):
    """Which requests are allowed.

    Attributes:
        hosts: The allowed values of the `Host` header.
        origins: The allowed values of the `Origin` header, if a request has one.
        token: The bearer token that every request must contain, or `None`.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | None = None

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
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse("this Host is not allowed; allow it with --allow-host\n", 421)
        if any(value.lower() not in self.origins for name, value in headers if name == "origin"):
            return PlainTextResponse("this Origin is not allowed; allow its host with --allow-host\n", 403)
        if self.token is not None and not _carries(headers, self.token):
            return PlainTextResponse("a bearer token is required\n", 401, {"WWW-Authenticate": "Bearer"})
        if scope["path"].rstrip("/") != PATH:
            return PlainTextResponse(f"nothing is served here; the server is at {PATH}\n", 404)
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
        if (refusal := self._access.refusal(scope)) is not None:
            await _discard_body(receive)
            await refusal(scope, receive, send)
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
            await self._application(scope, _replaying(body, receive), send)


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

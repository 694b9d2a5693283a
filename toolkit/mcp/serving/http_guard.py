"""Http guard: which HTTP requests reach the server at all.

A page in a browser can send requests to servers on the loopback, so who asks is checked even there: the `Host` that was
meant, the `Origin` of the page, the bearer token where there is one; then that the body is small and comes in time.
"""

import asyncio
import hmac
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
"""Where clients find the server."""

LONGEST_BODY = 4 * 1024 * 1024
"""Bytes of a request's body."""

SLOWEST_BODY = 30.0
"""Seconds in which the body must have come."""

_BEARER = "bearer "
_SHORT_BODY = 64 * 1024
_SHORT_WHILE = 5.0


class HttpAccess(NamedTuple):
    """Who may use the server.

    Attributes:
        hosts: The values of `Host` that are taken.
        origins: The values of `Origin` that are taken, where a request has one.
        token: The bearer token that every request must carry, if there is one.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | None = None

    @classmethod
    def at(cls, hosts: Iterable[str], port: int, token: str | None = None) -> "HttpAccess":
        """Return the access of a server that is reached under these names; one with a port is meant as it stands."""
        named = {host.lower() for host in hosts}
        full = {host if _has_port(host) else f"{host}:{port}" for host in named}
        full |= {host for host in named if not _has_port(host) and port in (80, 443)}
        schemes = ("http", "https")
        return cls(frozenset(full), frozenset(f"{scheme}://{host}" for host in full for scheme in schemes), token)

    def refusal(self, scope: Scope) -> Response | None:
        """Return how a request is refused, or None if it may come in."""
        headers: list[tuple[str, str]] = [
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse("this Host is not served here; --allow-host names further ones\n", 421)
        if any(value.lower() not in self.origins for name, value in headers if name == "origin"):
            return PlainTextResponse("this Origin is not served here; --allow-host names further ones\n", 403)
        if self.token is not None and not _carries(headers, self.token):
            return PlainTextResponse("a bearer token is needed\n", 401, {"WWW-Authenticate": "Bearer"})
        if scope["path"].rstrip("/") != PATH:
            return PlainTextResponse(f"nothing is served here; the server is at {PATH}\n", 404)
        return None


class Guard:
    """Stands before an ASGI application."""

    def __init__(self, application: ASGIApp, access: HttpAccess) -> None:
        """Keep the guarded application, and who may use it."""
        self._application = application
        self._door = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        if (refusal := self._door.refusal(scope)) is not None:
            await _let_finish(receive)
            await refusal(scope, receive, send)
            return
        try:
            async with asyncio.timeout(SLOWEST_BODY):
                body = await _body_of(receive)
        except TimeoutError:
            await PlainTextResponse("the body has not come in time\n", 408)(scope, receive, send)
            return
        if body is None:
            await PlainTextResponse(f"a body has {LONGEST_BODY} bytes at most\n", 413)(scope, receive, send)
        elif body["type"] == "http.request":  # a client that has left in the middle of a body waits for no answer
            await self._application(scope, _replaying(body, receive), send)


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdecimal() and not host.endswith("]")


def _carries(headers: list[tuple[str, str]], token: str) -> bool:
    given = [value for name, value in headers if name == "authorization"]
    if len(given) != 1 or not given[0].lower().startswith(_BEARER):
        return False
    return hmac.compare_digest(given[0][len(_BEARER) :].strip().encode(), token.encode())


async def _body_of(receive: Receive) -> Message | None:
    """Return the whole body as one message, None if it is too long, or the news that the client has left."""
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


async def _let_finish(receive: Receive) -> None:
    """Hear a request out that is refused, if it is short and comes soon; none of it is kept.

    A client that is still sending when it is answered and left may see the connection break, and never the answer.
    """
    heard = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_SHORT_WHILE):
            while heard <= _SHORT_BODY:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                heard += len(message.get("body", b""))


def _replaying(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay

"""End open requests when the server shuts down.

Streams that would stay open forever and requests that are still arriving are ended. Calls in progress are cancelled by
the server itself, which answers their clients.
"""

import asyncio
from contextlib import suppress

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


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

"""When the server ends, so do the streams that would stay open forever, and requests that are still coming in.

A call in progress may finish by itself: it is cancelled, and its client is notified.
"""

import asyncio
from contextlib import suppress

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class EndingRequests:
    """Stands before an ASGI application, and ends its open requests when it is closed."""

    def __init__(self, application: ASGIApp) -> None:
        """Keep whose requests are ended; to be made in the loop that serves them."""
        self._application = application
        self._closing = asyncio.Event()

    def close(self) -> None:
        """End what waits for nothing but the client."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        request = _Request(scope, receive, send, self._closing)
        try:
            await self._application(scope, request.receive, request.send)
        except BaseException:
            if not self._closing.is_set():
                raise  # otherwise it is cancelled, or a second signal has come: the server ends anyway
        if self._closing.is_set():
            await request.finish()


class _Request:
    def __init__(self, scope: Scope, receive: Receive, send: Send, closing: asyncio.Event) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._closing = closing
        self._is_heard = False
        self._has_begun = False
        self._is_answered = False

    async def receive(self) -> Message:
        """Return the next message, or that the client has left where the server ends and nothing else would come."""
        if self._is_heard and self._scope["method"] != "GET":
            return await self._receive()
        message = asyncio.ensure_future(self._receive())
        closing = asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait([message, closing], return_when=asyncio.FIRST_COMPLETED)
            if not message.done():
                return {"type": "http.disconnect"}
            received = message.result()
            self._is_heard = received["type"] == "http.request" and not received.get("more_body", False)
            return received
        finally:
            message.cancel()
            closing.cancel()

    async def send(self, message: Message) -> None:
        self._has_begun = True
        self._is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def finish(self) -> None:
        """Send the end of the answer, or an answer at all, where the application has sent none."""
        with suppress(OSError):
            if not self._has_begun:
                await PlainTextResponse("the server ends\n", 503)(self._scope, self._receive, self._send)
            elif not self._is_answered:
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})

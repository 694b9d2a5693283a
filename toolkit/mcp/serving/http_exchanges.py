"""One HTTP request with a message, and how it is answered.

The answer is JSON if nothing else is sent before it, and the last event of a stream otherwise, or if the answer takes
long: then the stream begins, so that nothing between us and the client takes the connection for dead. The SDK streams
every answer in a session, which takes four tasks and three more writes.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCResponse, RequestId
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope, Send

from toolkit.mcp.serving.messages import MessageError, bytes_of, message_of

QUIET: Final = 15.0
"""Seconds without a message after which a stream begins, and then gets a comment."""

JSON, EVENTS = "application/json", "text/event-stream"

Headers = Sequence[tuple[bytes, bytes]]

_STREAM: Final[Headers] = (
    (b"content-type", EVENTS.encode()),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
_COMMENT: Final = b": ping\r\n\r\n"


class Exchange:
    """The response to one request. Any task of the event loop may send its messages."""

    def __init__(self, send: Send, headers: Headers = ()) -> None:
        """Create the response.

        Args:
            send: Sends a part of it.
            headers: Its headers besides those about the content.
        """
        loop = asyncio.get_running_loop()
        self._send, self._headers = send, headers
        self._turn = asyncio.Lock()
        self._is_stream = False
        self._end: asyncio.Future[None] = loop.create_future()
        self._timer = loop.call_later(QUIET, self._be_quiet)
        self._comments: asyncio.Task[None] | None = None

    async def open_stream(self) -> None:
        """Send the head of a stream, before any event."""
        async with self._turn:
            await self._open_stream()

    async def send_event(self, message: JSONRPCMessage) -> None:
        """Send a message before the answer; do nothing after the end."""
        await self._send_part(_event_of(message))

    async def answer(self, message: JSONRPCResponse | JSONRPCError, status: int = 200) -> None:
        """Send the answer, which ends the response; do nothing after the end.

        Args:
            message: The answer.
            status: The HTTP status, unless a stream has begun.
        """
        async with self._turn:
            if self._end.done():
                return
            try:
                if self._is_stream:
                    await self._send({"type": "http.response.body", "body": _event_of(message), "more_body": False})
                else:
                    await self._send_json(bytes_of(message), status)
            finally:
                self.end()

    async def break_off(self, message: JSONRPCError) -> None:
        """Answer a request that nobody may wait for any longer, such as a cancelled one.

        This is always a stream, because the SDK's client (2.3) raises if it receives JSON while it disconnects.
        """
        await self.open_stream()
        await self.answer(message)

    async def close(self) -> None:
        """End a stream without an answer."""
        async with self._turn:
            if self._is_stream and not self._end.done():
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            self.end()

    def end(self) -> None:
        """Stop waiting; nothing is sent from now on."""
        self._timer.cancel()
        if self._comments is not None:
            self._comments.cancel()
        if not self._end.done():
            self._end.set_result(None)

    async def wait(self) -> None:
        """Wait until the response has ended; if this is cancelled, it ends."""
        try:
            await self._end
        finally:
            self.end()

    async def _open_stream(self) -> None:
        if not self._is_stream and not self._end.done():
            self._is_stream = True
            await self._send({"type": "http.response.start", "status": 200, "headers": [*_STREAM, *self._headers]})

    async def _send_part(self, part: bytes) -> None:
        async with self._turn:
            await self._open_stream()
            if not self._end.done():
                await self._send({"type": "http.response.body", "body": part, "more_body": True})

    async def _send_json(self, body: bytes, status: int) -> None:
        content = [(b"content-type", JSON.encode()), (b"content-length", b"%d" % len(body))]
        await self._send({"type": "http.response.start", "status": status, "headers": [*content, *self._headers]})
        await self._send({"type": "http.response.body", "body": body})

    def _be_quiet(self) -> None:
        self._comments = asyncio.get_running_loop().create_task(self._send_comments())

    async def _send_comments(self) -> None:
        while not self._end.done():
            await self._send_part(_COMMENT)
            await asyncio.sleep(QUIET)


def _event_of(message: JSONRPCMessage) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % bytes_of(message)


class RequestHead(NamedTuple):
    """The headers of a request; of several ones with the same name, the first one counts."""

    headers: Mapping[bytes, bytes]

    @classmethod
    def of(cls, scope: Scope) -> "RequestHead":
        """Return the headers of a request."""
        return cls(dict(reversed(scope["headers"])))

    def get(self, name: bytes) -> str:
        """Return a header; empty if there is none."""
        return self.headers.get(name, b"").decode("latin-1")

    def fault(self) -> Response | None:
        """Return the answer to a request with a message that is no JSON, or whose sender accepts no answer of ours."""
        if self.get(b"content-type").partition(";")[0].strip().lower() != JSON:
            return refusal(415, f"Unsupported Media Type: Content-Type must be {JSON}")
        if not (self.accepts(JSON) and self.accepts(EVENTS)):
            return refusal(406, f"Not Acceptable: the client must accept both {JSON} and {EVENTS}")
        return None

    def accepts(self, kind: str) -> bool:
        """Return whether the client accepts a media type."""
        given = {part.partition(";")[0].strip().lower() for part in self.get(b"accept").split(",")}
        return not given.isdisjoint((kind, f"{kind.partition('/')[0]}/*", "*/*"))


async def message_in(request: Request) -> JSONRPCMessage | Response:
    """Return the message in the body of a request, or the answer to a body that is none."""
    message = message_of(await request.body())
    if message is None:
        return refusal(400, "Invalid request: the body must be one JSON message")
    return json_response(message, 400) if isinstance(message, MessageError) else message


def refusal(status: int, message: str, code: int = INVALID_REQUEST, identity: RequestId | None = None) -> Response:
    """Return a response with an error."""
    return json_response(JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message)), status)


def json_response(message: JSONRPCMessage, status: int) -> Response:
    """Return a response with a message."""
    return Response(bytes_of(message), status, media_type=JSON)

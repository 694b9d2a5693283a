"""The sessions of clients of the handshake era over HTTP.

A client begins a session by `initialize`, names it in every later request, and ends it by `DELETE`, or by not using it.
What the server sends belongs to the request that caused it, or else goes to the stream that the client keeps open by
`GET`, or to nobody.
"""

import asyncio
import secrets
from collections import deque
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, AuthorizationContext, authorization_context
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_loop
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolkit.mcp.serving.client_sessions import MOST
from toolkit.mcp.serving.http_exchanges import EVENTS, Exchange, Headers, RequestHead, message_in, refusal
from toolkit.mcp.serving.messages import MessageStream

SESSION: Final = b"mcp-session-id"
"""The header that names the session."""

_IDLE: Final = 1_800.0
_PATIENCE: Final = 1.0
_CANCELLED: Final = -32_800
"""The code of the answer to a request that the client has cancelled, which ends the response to it, as in the SDK."""


class HttpSessions:
    """The open sessions."""

    def __init__(self, protocol: Server[Any], state: Any, tasks: TaskGroup) -> None:
        """Create it without any session.

        Args:
            protocol: The server.
            state: The state of the server's lifespan.
            tasks: Runs the sessions.
        """
        self._protocol, self._state, self._tasks = protocol, state, tasks
        self._open: dict[str, _Session] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send, head: RequestHead) -> None:
        """Answer a request."""
        match scope["method"]:
            case "POST":
                answer = await self._post(scope, receive, send, head)
            case "GET":
                answer = await self._listen(scope, receive, send, head)
            case "DELETE":
                answer = self._delete(scope, head)
            case _:
                answer = Response(status_code=405, headers={"Allow": "GET, POST, DELETE"})
        if answer is not None:
            await answer(scope, receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send, head: RequestHead) -> Response | None:
        """Pass a message on; return the response unless it was sent."""
        if (fault := head.fault()) is not None:
            return fault
        request = Request(scope, receive)
        message = await message_in(request)
        if isinstance(message, Response):
            return message
        begins = SESSION not in head.headers and isinstance(message, JSONRPCRequest) and message.method == "initialize"
        session = self._begin(scope) if begins else self._session_of(scope, head)
        if isinstance(session, Response):
            return session
        if not isinstance(message, JSONRPCRequest):
            session.incoming.put(SessionMessage(message, ServerMessageMetadata(request_context=request)))
            return Response(status_code=202, headers=dict([session.header]))
        await session.exchange(message, request, send)
        if begins and not session.has_begun:
            session.end()
        return None

    async def _listen(self, scope: Scope, receive: Receive, send: Send, head: RequestHead) -> Response | None:
        """Send what belongs to no request until the client disconnects."""
        session = self._session_of(scope, head)
        if isinstance(session, Response):
            return session
        if not head.accepts(EVENTS):
            return refusal(406, f"Not Acceptable: the client must accept {EVENTS}")
        if session.listener is not None:
            return refusal(409, "Conflict: a session can have only one stream")
        await session.listen(receive, send)
        return None

    def _delete(self, scope: Scope, head: RequestHead) -> Response:
        session = self._session_of(scope, head)
        if isinstance(session, Response):
            return session
        session.end()
        return Response(status_code=200)

    def _session_of(self, scope: Scope, head: RequestHead) -> "_Session | Response":
        """Return the session that a request names; only who has begun it can use it."""
        if SESSION not in head.headers:
            return refusal(400, "Bad Request: Missing session ID")
        session = self._open.get(head.get(SESSION))
        if session is None or session.incoming.is_closed or session.owner != _owner_of(scope):
            return refusal(404, "Session not found")
        return session

    def _begin(self, scope: Scope) -> "_Session | Response":
        if len(self._open) >= MOST:
            return refusal(503, "Too many open sessions")
        session = _Session(_owner_of(scope))
        self._open[session.key] = session
        self._tasks.start_soon(self._serve, session)
        return session

    async def _serve(self, session: "_Session") -> None:
        try:
            await session.serve(self._protocol, self._state)
        finally:
            self._open.pop(session.key, None)


def _owner_of(scope: Scope) -> AuthorizationContext | None:
    user = scope.get("user")
    return authorization_context(user) if isinstance(user, AuthenticatedUser) else None


class _Session:
    """An open session.

    Attributes:
        key: Its id.
        owner: Who has begun it, if the server knows.
        incoming: The messages of the client.
        listener: The response to the request that listens for what belongs to no other request.
        has_begun: Whether its first request has succeeded.
    """

    def __init__(self, owner: AuthorizationContext | None) -> None:
        self.key = secrets.token_hex(16)
        self.owner = owner
        self.incoming = _Incoming()
        self.listener: Exchange | None = None
        self.has_begun = False
        self._waiting: dict[RequestId, Exchange] = {}
        loop = asyncio.get_running_loop()
        self._used = loop.time()
        self._idle = loop.call_later(_IDLE, self._check_idle)

    @property
    def header(self) -> tuple[str, str]:
        """The header that tells the client its session."""
        return SESSION.decode(), self.key

    async def serve(self, protocol: Server[Any], state: Any) -> None:
        """Serve the client until the session ends."""
        try:
            await serve_loop(protocol, self.incoming, _Outgoing(self), lifespan_state=state, session_id=self.key)
        finally:
            self._idle.cancel()
            with anyio.move_on_after(_PATIENCE, shield=True):
                for identity, exchange in [*self._waiting.items()]:
                    await exchange.break_off(_error(identity, CONNECTION_CLOSED, "Connection closed"))
                if self.listener is not None:
                    await self.listener.close()

    def end(self) -> None:
        """End the session; requests in progress are cancelled."""
        self.incoming.end()

    async def exchange(self, message: JSONRPCRequest, request: Request, send: Send) -> None:
        """Answer a request."""
        exchange = Exchange(send, self._headers())
        if (other := self._waiting.pop(message.id, None)) is not None:
            await other.break_off(_error(message.id, INVALID_REQUEST, "Invalid request: its id was used again"))
        self._waiting[message.id] = exchange
        unanswered = partial(exchange.break_off, _error(message.id, _CANCELLED, "Request cancelled"))
        metadata = ServerMessageMetadata(request_context=request, on_request_unanswered=unanswered)
        self.incoming.put(SessionMessage(message, metadata))
        try:
            await exchange.wait()
        finally:
            if self._waiting.get(message.id) is exchange:
                del self._waiting[message.id]
            self._used = asyncio.get_running_loop().time()

    async def listen(self, receive: Receive, send: Send) -> None:
        """Send what belongs to no request until the client disconnects or the session ends."""
        self.listener = Exchange(send, self._headers())
        try:
            await self.listener.open_stream()
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self.listener.end()
            self.listener = None
            self._used = asyncio.get_running_loop().time()

    async def send(self, message: JSONRPCMessage, related: RequestId | None) -> None:
        """Send a message to the client.

        Args:
            message: The message.
            related: The request that it belongs to, unless it is an answer.
        """
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            if message.id is not None and (exchange := self._waiting.get(message.id)) is not None:
                self.has_begun |= isinstance(message, JSONRPCResponse)
                if isinstance(message, JSONRPCError) and self.incoming.is_closed:
                    await exchange.break_off(message)
                else:
                    await exchange.answer(message)
            return
        target = self.listener if related is None else self._waiting.get(related)
        if target is not None:
            await target.send_event(message)

    def _headers(self) -> Headers:
        return ((SESSION, self.key.encode()),)

    def _check_idle(self) -> None:
        """End the session if the client has not used it for long."""
        loop = asyncio.get_running_loop()
        is_in_use = self._waiting or self.listener is not None
        left = _IDLE if is_in_use else self._used + _IDLE - loop.time()
        if left <= 0:
            self.end()
        else:
            self._idle = loop.call_later(left, self._check_idle)


def _error(identity: RequestId, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


class _Incoming(MessageStream):
    """The messages of a client.

    Attributes:
        last_context: The context of the request with the last message, in which the SDK handles it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.last_context: Context | None = None
        self._messages: deque[tuple[Context, SessionMessage]] = deque()
        self._news: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def put(self, message: SessionMessage) -> None:
        """Add a message, unless the stream has ended."""
        self._messages.append((copy_context(), message))
        self._wake()

    def end(self) -> None:
        """End the stream; messages that were not received are dropped."""
        self.is_closed = True
        self._wake()

    async def receive(self) -> SessionMessage | Exception:
        while not self._messages and not self.is_closed:
            self._news = asyncio.get_running_loop().create_future()
            await self._news
        if self.is_closed:
            raise anyio.EndOfStream
        self.last_context, message = self._messages.popleft()
        return message

    def _wake(self) -> None:
        if not self._news.done():
            self._news.set_result(None)


class _Outgoing(MessageStream):
    """The messages to a client."""

    def __init__(self, session: _Session) -> None:
        super().__init__()
        self._session = session

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message.

        Raises:
            ClosedResourceError: If the session has ended.
        """
        if self.is_closed:
            raise anyio.ClosedResourceError
        metadata = item.metadata
        related = metadata.related_request_id if isinstance(metadata, ServerMessageMetadata) else None
        await self._session.send(item.message, related)

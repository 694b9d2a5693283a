"""Requests of the stateless era over HTTP: each one says all that is needed to answer it.

If the client disconnects, its request is cancelled.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel.server import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PARAM_HEADER_PREFIX,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
)
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    HEADER_MISMATCH,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    ProgressToken,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolkit.mcp.serving.http_exchanges import Exchange, RequestHead, json_response, message_in, refusal

_GLANCE: Final = 0.05
"""Seconds after which somebody looks whether the client is still there; most requests are answered before."""

_PARAMETER: Final = MCP_PARAM_HEADER_PREFIX.lower().encode()


class StatelessRequests:
    """Answers requests of the stateless era."""

    def __init__(self, protocol: Server[Any], state: Any) -> None:
        """Answer requests by a server, with the state of its lifespan."""
        self._protocol, self._state = protocol, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send, head: RequestHead) -> None:
        """Answer a request."""
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = head.fault() or await self._answer(request, send, head)
        if answer is not None:
            await answer(scope, receive, send)

    async def _answer(self, request: Request, send: Send, head: RequestHead) -> Response | None:
        """Answer a message; return the response unless it was sent."""
        message = await message_in(request)
        if isinstance(message, Response):
            return message
        if isinstance(message, JSONRPCNotification):
            version = head.get(MCP_PROTOCOL_VERSION_HEADER.encode())
            rejection = unsupported_protocol_version_rejection(version)
            return Response(status_code=202) if rejection is None else _rejected(rejection, None)
        if not isinstance(message, JSONRPCRequest):
            return refusal(400, "Invalid request: the server has sent no request, so it expects no answer")
        route = self._route(message, request, head)
        if isinstance(route, InboundLadderRejection):
            return _rejected(route, message)
        exchange = Exchange(send)
        try:
            await self._serve(message, request, route, exchange)
        finally:
            exchange.end()
        return None

    def _route(
        self, message: JSONRPCRequest, request: Request, head: RequestHead
    ) -> InboundModernRoute | InboundLadderRejection:
        """Check that the headers of a request say what its message says."""
        lines = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.scope["headers"]]
        if (twice := find_duplicated_routing_header(lines)) is not None:
            return InboundLadderRejection(code=HEADER_MISMATCH, message=f"{twice} header appears more than once")
        body = {"method": message.method, "params": message.params}
        route = classify_inbound_request(body, headers=dict(lines))
        if isinstance(route, InboundModernRoute) and message.method == "tools/call":
            return self._mismatch(message, request, head) or route
        return route

    def _mismatch(self, message: JSONRPCRequest, request: Request, head: RequestHead) -> InboundLadderRejection | None:
        """Return the first header that contradicts an argument of a call."""
        params = message.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        find = self._protocol.get_tool_input_schema
        if find is None or not isinstance(name, str) or not isinstance(arguments, Mapping):
            return None
        if not arguments and not any(header.startswith(_PARAMETER) for header in head.headers):
            return None
        schema = find(name)
        return None if schema is None else validate_mcp_param_headers(schema, arguments, request.headers)

    async def _serve(
        self, message: JSONRPCRequest, request: Request, route: InboundModernRoute, exchange: Exchange
    ) -> None:
        """Answer a request unless its client disconnects, which cancels it."""
        connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
        channel = _Channel(message, request, exchange)
        with _cancelled_on_disconnect(request):
            try:
                result = await serve_one(
                    self._protocol,
                    channel,
                    message.method,
                    message.params,
                    connection=connection,
                    lifespan_state=self._state,
                )
            except Exception as error:  # noqa: BLE001 - whatever it is, the client gets an answer
                fault = modern_error_data(error)
                answer: JSONRPCError | JSONRPCResponse = JSONRPCError(jsonrpc="2.0", id=message.id, error=fault)
                await exchange.answer(answer, ERROR_CODE_HTTP_STATUS.get(fault.code, 200))
            else:
                await exchange.answer(JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result))


@contextmanager
def _cancelled_on_disconnect(request: Request) -> Iterator[None]:
    """Cancel what the block does if the client of a request disconnects."""
    loop = asyncio.get_running_loop()
    watching: list[asyncio.Task[None]] = []

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    timer = loop.call_later(_GLANCE, lambda: watching.append(loop.create_task(wait())))
    try:
        with anyio.CancelScope() as scope:
            yield
    finally:
        timer.cancel()
        for task in watching:
            task.cancel()


@dataclass
class _Channel:
    """What the SDK expects of the channel of a request to its client, on which the server can only notify."""

    message: JSONRPCRequest
    request: Request
    exchange: Exchange
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    @property
    def transport(self) -> TransportContext:
        return TransportContext(kind="streamable-http", can_send_request=False, headers=self.request.headers)

    @property
    def request_id(self) -> int | str:
        return self.message.id

    @property
    def message_metadata(self) -> ServerMessageMetadata:
        return ServerMessageMetadata(request_context=self.request)

    @property
    def can_send_request(self) -> bool:
        return False

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
    ) -> None:
        given = None if params is None else dict(params)
        await self.exchange.send_event(JSONRPCNotification(jsonrpc="2.0", method=method, params=given))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token: ProgressToken | None = progress_token_from_params(self.message.params)
        if token is not None:
            given = {"progressToken": token, "progress": progress, "total": total, "message": message}
            known = {name: value for name, value in given.items() if value is not None}
            await self.notify("notifications/progress", known)


def _rejected(rejection: InboundLadderRejection, message: JSONRPCMessage | None) -> Response:
    identity = message.id if isinstance(message, JSONRPCRequest) else None
    error = ErrorData(code=rejection.code, message=rejection.message, data=rejection.data)
    return json_response(
        JSONRPCError(jsonrpc="2.0", id=identity, error=error), ERROR_CODE_HTTP_STATUS.get(rejection.code, 200)
    )

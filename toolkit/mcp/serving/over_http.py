"""Serve any number of MCP clients over HTTP, at `/mcp` on a socket that is already listening.

Calls in progress at shutdown are cancelled by the server itself, which answers their clients.
"""

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.lowlevel.server import Server
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Receive, Scope, Send

from toolkit.mcp.serving.http_exchanges import RequestHead
from toolkit.mcp.serving.http_requests import HttpAccess, serve_application
from toolkit.mcp.serving.http_sessions import HttpSessions
from toolkit.mcp.serving.server import ToolServer
from toolkit.mcp.serving.stateless_requests import StatelessRequests

if TYPE_CHECKING:
    from toolkit.mcp.serving.protected_resource import Protection

PATH = "/mcp"
"""The URL path of the server."""

_VERSION = MCP_PROTOCOL_VERSION_HEADER.encode()


async def serve_http(
    server: ToolServer,
    listener: socket.socket,
    access: HttpAccess,
    ready: Callable[[], None],
    protection: "Protection | None" = None,
) -> None:
    """Serve clients until this is cancelled.

    Args:
        server: The server.
        listener: The listening socket.
        access: Which requests are allowed.
        ready: Called when clients can connect.
        protection: Whose access tokens every request needs, or `None` if `access` has the only token.
    """
    access = access._replace(path=PATH)
    if protection is not None:
        from toolkit.mcp.serving.protected_resource import ProtectedResource  # cryptography takes a while to import

        resource = ProtectedResource(protection, PATH, server.options, server.catalog.known)
        access = access._replace(token=None, open_paths=resource.open_paths, admission=resource)
    # Answers to questions are bound to the identity in the context.
    application = AuthContextMiddleware(_Application(server.protocol))
    await serve_application(application, listener, access, ready, server.close)


class _Application:
    """The ASGI application, which knows from a header to which era of the protocol a request belongs."""

    def __init__(self, protocol: Server[Any]) -> None:
        self._protocol = protocol

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        head = RequestHead.of(scope)
        has_session = _VERSION not in head.headers or head.get(_VERSION) in HANDSHAKE_PROTOCOL_VERSIONS
        await (self._sessions if has_session else self._stateless)(scope, receive, send, head)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Serve until the HTTP server shuts down."""
        await receive()
        async with self._protocol.lifespan(self._protocol) as state, anyio.create_task_group() as tasks:
            self._sessions = HttpSessions(self._protocol, state, tasks)
            self._stateless = StatelessRequests(self._protocol, state)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            tasks.cancel_scope.cancel()
        await send({"type": "lifespan.shutdown.complete"})

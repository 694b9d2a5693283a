"""Serve any number of MCP clients over HTTP, at `/mcp` on a socket that is already listening.

Calls in progress at shutdown are cancelled by the server itself, which answers their clients.
"""

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.transport_security import TransportSecuritySettings

from toolkit.mcp.serving.client_sessions import MOST
from toolkit.mcp.serving.http_requests import LONGEST_BODY, HttpAccess, serve_application
from toolkit.mcp.serving.server import ToolServer

if TYPE_CHECKING:
    from toolkit.mcp.serving.protected_resource import Protection

PATH = "/mcp"
"""The URL path of the server."""

_IDLE = 1_800.0


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
    application = server.protocol.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        session_idle_timeout=_IDLE,
        max_sessions=MOST,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*access.hosts], allowed_origins=[*access.origins], enable_dns_rebinding_protection=True
        ),
    )
    # Answers to questions are bound to the identity in the context.
    await serve_application(AuthContextMiddleware(application), listener, access, ready, server.close)

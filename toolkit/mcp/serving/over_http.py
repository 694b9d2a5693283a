"""Serve any number of MCP clients over HTTP, at `/mcp` on a socket that is already listening.

Calls in progress at shutdown are cancelled by the server itself, which answers their clients.
"""

import socket
from collections.abc import Callable

from mcp.server.transport_security import TransportSecuritySettings

from toolkit.mcp.serving.client_sessions import MOST
from toolkit.mcp.serving.http_requests import LONGEST_BODY, HttpAccess, serve_application
from toolkit.mcp.serving.server import ToolServer

PATH = "/mcp"
"""The URL path of the server."""

_IDLE = 1_800.0


async def serve_http(
    server: ToolServer, listener: socket.socket, access: HttpAccess, ready: Callable[[], None]
) -> None:
    """Serve clients until this is cancelled.

    Args:
        server: The server.
        listener: The listening socket.
        access: Which requests are allowed.
        ready: Called when clients can connect.
    """
    application = server.protocol.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        session_idle_timeout=_IDLE,
        max_sessions=MOST,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*access.hosts], allowed_origins=[*access.origins], enable_dns_rebinding_protection=True
        ),
    )
    await serve_application(application, listener, access._replace(path=PATH), ready, server.close)

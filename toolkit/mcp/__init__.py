"""The Model Context Protocol, both ways: tools of other servers, and our tools for other clients."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.mcp.client.sessions import close_sessions
    from toolkit.mcp.settings.servers import HttpServer, StdioServer
    from toolkit.mcp.tools.contents import Attachment
    from toolkit.mcp.tools.toolsets import McpTools

_PLACES = {
    "Attachment": "toolkit.mcp.tools.contents",
    "HttpServer": "toolkit.mcp.settings.servers",
    "McpTools": "toolkit.mcp.tools.toolsets",
    "StdioServer": "toolkit.mcp.settings.servers",
    "close_sessions": "toolkit.mcp.client.sessions",
}
__all__ = ["Attachment", "HttpServer", "McpTools", "StdioServer", "close_sessions"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: most of them bring the SDK along, which is large."""
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415 - as said

    return getattr(import_module(_PLACES[name]), name)

"""The Model Context Protocol (MCP): use the tools of MCP servers, and serve tools to MCP clients."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.mcp.client.server_sessions import (
        ServerUnreachable as ServerUnreachable,
        close_sessions as close_sessions,
        connection_to as connection_to,
        wait_for as wait_for,
    )
    from toolkit.mcp.serving.calls import Rules as Rules
    from toolkit.mcp.serving.server import Options as Options, ToolServer as ToolServer
    from toolkit.mcp.settings.server_settings import (
        Auth as Auth,
        HttpServer as HttpServer,
        StdioServer as StdioServer,
    )
    from toolkit.mcp.shared_context import (
        allow_keys as allow_keys,
        converter_from as converter_from,
        deny_keys as deny_keys,
        meta_for as meta_for,
        nothing as nothing,
        pass_through as pass_through,
        trace_context_of as trace_context_of,
    )
    from toolkit.mcp.tools.remote import tools_from as tools_from
    from toolkit.mcp.tools.toolsets import McpTools as McpTools
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "client.server_sessions": "close_sessions connection_to ServerUnreachable wait_for",
            "serving.calls": "Rules",
            "serving.server": "Options ToolServer",
            "settings.server_settings": "Auth HttpServer StdioServer",
            "shared_context": "allow_keys converter_from deny_keys meta_for nothing pass_through trace_context_of",
            "tools.remote": "tools_from",
            "tools.toolsets": "McpTools",
        },
    )

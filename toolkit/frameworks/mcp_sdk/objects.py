"""Converts servers of the MCP SDK; see `mcp/server/fastmcp/` of mcp 1.30, `mcp/server/mcpserver/` of mcp 2.3."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.mcp_sdk.sdk_sessions import conversation, listed
from toolkit.frameworks.quiet_logs import keep_own_logs_from_rich_handlers
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.frameworks.wire_tools import as_json, wire_tool
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit.tools.foreign_values import bases_of_class, module_of_class

FRAMEWORK = "mcp_sdk"
VERSIONS = Versions("mcp", (1, 10))


def tools_of_server(server: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the tools of a `FastMCP` (version 1) or an `MCPServer` (version 2)."""
    keep_own_logs_from_rich_handlers()
    for wire in run_coroutine(server.list_tools):
        registered = server._tool_manager.get_tool(wire.name)  # noqa: SLF001 - there is no public way to the function
        yield wire_tool(
            as_json(wire),
            partial(conversation, server),
            framework=FRAMEWORK,
            server=server.name,
            thing=registered or server,
            function=getattr(registered, "fn", None),
            is_wrapped=getattr(getattr(registered, "fn_metadata", None), "wrap_output", False),
        )


def tools_of_low_level(server: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the tools that a low-level `Server` lists."""
    for wire in run_coroutine(partial(listed, server)):
        yield wire_tool(
            as_json(wire), partial(conversation, server), framework=FRAMEWORK, server=server.name, thing=server
        )


def tools_of_tool(tool: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the Tool of a `Tool` outside of a server."""
    module, name = ("mcp.server.mcpserver", "MCPServer")
    if any(module_of_class(base).startswith("mcp.server.fastmcp") for base in bases_of_class(type(tool))):
        module, name = ("mcp.server.fastmcp", "FastMCP")
    yield from tools_of_server(getattr(import_module(module), name)(tool.name, tools=[tool]))


CLASSES = {
    "mcp.server.fastmcp.server.FastMCP": ForeignClass(tools_of_server, is_tool=False),
    "mcp.server.mcpserver.server.MCPServer": ForeignClass(tools_of_server, is_tool=False),
    "mcp.server.lowlevel.server.Server": ForeignClass(tools_of_low_level, is_tool=False),
    "mcp.server.fastmcp.tools.base.Tool": ForeignClass(tools_of_tool),
    "mcp.server.mcpserver.tools.base.Tool": ForeignClass(tools_of_tool),
}

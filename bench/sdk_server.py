"""One tool on the official SDK's own servers: the low-level one is the floor of serving, the ready one a peer.

`python -m bench.sdk_server KIND` serves over stdio, `python -m bench.sdk_server KIND FD` over HTTP, at a socket that is
inherited; the kind is `low` or `ready`.
"""

import socket
import sys
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server import MCPServer
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette

SCHEMA = {
    "type": "object",
    "properties": {"left": {"type": "integer"}, "right": {"type": "integer"}},
    "required": ["left", "right"],
}
KEPT_ALIVE = 60
"""Seconds that a connection may be quiet, so that none breaks while another server has its turn."""

Context = ServerRequestContext[Any, Any]


async def list_tools(request: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:  # noqa: ARG001
    """Offer the tool."""
    return types.ListToolsResult(tools=[types.Tool(name="add", description="Add two numbers.", input_schema=SCHEMA)])


async def call_tool(request: Context, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
    """Do the work, and no more: nothing is validated, asked, timed or contained."""
    given = params.arguments or {}
    return types.CallToolResult(content=[types.TextContent(text=str(given["left"] + given["right"]))])


def low() -> Server[Any]:
    """Return the floor."""
    return Server("floor", on_list_tools=list_tools, on_call_tool=call_tool)


def ready() -> MCPServer[Any]:
    """Return the peer, which validates and calls a function in a thread, as we do."""
    server: MCPServer[Any] = MCPServer("peer", log_level="WARNING")

    @server.tool()
    def add(left: int, right: int) -> str:
        """Add two numbers."""
        return str(left + right)

    return server


async def low_over_stdio() -> None:
    """Serve whoever started this."""
    async with stdio_server() as (incoming, outgoing):
        server = low()
        await server.run(incoming, outgoing, server.create_initialization_options())


def over_http(application: Starlette, listener: socket.socket) -> None:
    """Serve whoever connects."""
    config = uvicorn.Config(application, log_level="warning", timeout_keep_alive=KEPT_ALIVE)
    uvicorn.Server(config).run([listener])


def main(kind: str, descriptor: str = "") -> None:
    """Serve until the client leaves, or the process is ended."""
    server = low() if kind == "low" else ready()
    if descriptor:
        over_http(server.streamable_http_app(), socket.socket(fileno=int(descriptor)))
    elif isinstance(server, MCPServer):
        server.run("stdio")
    else:
        anyio.run(low_over_stdio)


if __name__ == "__main__":
    main(*sys.argv[1:])

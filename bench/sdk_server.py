"""Serves one tool with the official SDK: its low-level server is the floor, its `MCPServer` is a peer.

`python -m bench.sdk_server KIND` serves over stdio, and `python -m bench.sdk_server KIND FD` over HTTP on an inherited
socket. The kind is `low`, `ready`, or `slow` for the low-level server with a tool that takes 20 ms. `relay KIND` serves
over stdio what the SDK's client gets from another one of these servers, and does nothing else.
"""

import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp import Client, StdioServerParameters
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
"""Keep-alive timeout in seconds, long enough that no connection closes while another server is measured."""

SLOW_SECONDS = 0.02

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]]


async def list_tools(request: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:  # noqa: ARG001
    """List the tool."""
    return types.ListToolsResult(tools=[types.Tool(name="add", description="Add two numbers.", input_schema=SCHEMA)])


async def call_tool(request: Context, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
    """Only do the work, without validation, approval, timeout or error handling."""
    given = params.arguments or {}
    return types.CallToolResult(content=[types.TextContent(text=str(given["left"] + given["right"]))])


async def call_slow_tool(request: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Do the work after a wait, as for a database or a file."""
    await anyio.sleep(SLOW_SECONDS)
    return await call_tool(request, params)


def low(call: Handler = call_tool) -> Server[Any]:
    """Return the low-level server, which is the floor."""
    return Server("floor", on_list_tools=list_tools, on_call_tool=call)


def ready() -> MCPServer[Any]:
    """Return the peer, which like us validates the arguments and calls a function in a thread."""
    server: MCPServer[Any] = MCPServer("peer", log_level="WARNING")

    @server.tool()
    def add(left: int, right: int) -> str:
        """Add two numbers."""
        return str(left + right)

    return server


async def low_over_stdio(server: Server[Any]) -> None:
    """Serve the parent process over stdio."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def relay(kind: str) -> None:
    """Pass each call on to a server of this kind, with the SDK's client."""
    behind = StdioServerParameters(command=sys.executable, args=["-m", "bench.sdk_server", kind])
    async with Client(behind) as client:

        async def pass_on(request: Context, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
            return await client.call_tool(params.name, params.arguments)

        await low_over_stdio(low(pass_on))


def over_http(application: Starlette, listener: socket.socket) -> None:
    """Serve an application over HTTP on a listening socket, in the same kind of event loop as ours."""
    config = uvicorn.Config(application, log_level="warning", timeout_keep_alive=KEPT_ALIVE, loop="asyncio")
    uvicorn.Server(config).run([listener])


def main(kind: str, descriptor: str = "") -> None:
    """Serve until the client disconnects or the process is killed; a relay takes a kind instead of a descriptor."""
    if kind == "relay":
        anyio.run(relay, descriptor)
        return
    server = ready() if kind == "ready" else low(call_slow_tool if kind == "slow" else call_tool)
    if descriptor:
        over_http(server.streamable_http_app(), socket.socket(fileno=int(descriptor)))
    elif isinstance(server, MCPServer):
        server.run("stdio")
    else:
        anyio.run(low_over_stdio, server)


if __name__ == "__main__":
    main(*sys.argv[1:])

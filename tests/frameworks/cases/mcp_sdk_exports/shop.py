"""A server of the MCP SDK, 1 or 2, that has tools of ours, and a client of it."""

import asyncio
import logging

import mcp
from exported import CALLS, CONTEXT, TOOLS, say, show

from toolkit.frameworks import to_mcp_sdk

exported = [to_mcp_sdk(tool, CONTEXT) for tool in TOOLS]
if hasattr(mcp, "Client"):
    from mcp.server.mcpserver import MCPServer

    connected = mcp.Client(MCPServer("shop", tools=exported))
else:
    from mcp.server.fastmcp import FastMCP
    from mcp.shared.memory import create_connected_server_and_client_session

    connected = create_connected_server_and_client_session(FastMCP("shop", tools=exported))
logging.disable()


async def main():
    async with connected as client:
        for listed in (await client.list_tools()).tools:
            said = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
            say(f"{listed.name}: {listed.description} {said['inputSchema']} {said.get('annotations')}")
        for name, arguments in CALLS:
            show(name, await client.call_tool(name, arguments))


asyncio.run(main())

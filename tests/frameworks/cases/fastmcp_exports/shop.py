"""A server of FastMCP that has tools of ours, and a client of it."""

import asyncio
import logging

from fastmcp import Client, FastMCP
from exported import CALLS, CONTEXT, TOOLS, say, show

from toolkit.frameworks import to_fastmcp

logging.disable()
server = FastMCP("shop")
for tool in TOOLS:
    server.add_tool(to_fastmcp(tool, CONTEXT))


async def main():
    async with Client(server) as client:
        for listed in await client.list_tools():
            said = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
            say(f"{listed.name}: {listed.description} {said['inputSchema']} {said.get('annotations')}")
        for name, arguments in CALLS:
            show(name, await client.call_tool_mcp(name, arguments))


asyncio.run(main())

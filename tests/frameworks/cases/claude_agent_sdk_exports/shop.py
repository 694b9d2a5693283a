"""The server that the Claude Agent SDK makes of tools of ours, and a client of it."""

import asyncio

import mcp
from claude_agent_sdk import create_sdk_mcp_server
from exported import CALLS, CONTEXT, TOOLS, say, show

from toolkit.frameworks import to_claude_agent_sdk

shop = create_sdk_mcp_server("shop", tools=[to_claude_agent_sdk(tool, CONTEXT) for tool in TOOLS])


async def main():
    async with mcp.Client(shop["instance"]) as client:
        for listed in (await client.list_tools()).tools:
            said = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
            say(f"{listed.name}: {listed.description} {said['inputSchema']} {said.get('annotations')}")
        for name, arguments in CALLS:
            show(name, await client.call_tool(name, arguments))


asyncio.run(main())

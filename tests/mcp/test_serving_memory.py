"""Whose memory a served call works on: whoever runs the server says it, and no client."""

import asyncio

import pytest

from tests.mcp.served import over_stdio

TOOLS = """\
from typing import Annotated

from toolkit import MemoryId, tool


@tool(read_only=True)
def recall(key: str, owner: Annotated[str, MemoryId]) -> str:
    \"\"\"Recall something.\"\"\"
    return f"{key} of {owner}"
"""
CHAIN = "name: chain\ndescription: Recall.\ntools: [./tools.py]\ninputs: {}\nsteps:\n  - recall: {key: x}\n"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_served_tool_works_on_the_memory_of_the_server(tmp_path, mode):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "chain.yaml").write_text(CHAIN, "utf-8")
    options = ["tools.py", "chain.yaml", "--memory-id", "ada", "--meta", "memory_id", "--meta", "owner"]

    async def talk():
        async with over_stdio(tmp_path, *options, mode=mode) as client:
            offered = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
            meta = {"memory_id": "eve", "owner": "eve"}
            called = [
                await client.call_tool("recall", {"key": "x", "owner": "eve"}, meta=meta),
                await client.call_tool("chain", {"owner": "eve", "memory_id": "eve"}, meta=meta),
            ]
            return offered, [result.content[0].text for result in called]

    offered, texts = asyncio.run(talk())
    assert list(offered["recall"]["properties"]) == ["key"]
    assert texts == ["x of ada", "x of ada"]

"""Tools of a framework, served to a client that speaks MCP."""

import asyncio

import pytest
from mcp import Client, StdioServerParameters

from tests.frameworks.sessions import CASES
from tests.frameworks.test_agents import ENVIRONMENTS

pytestmark = pytest.mark.proof


@pytest.mark.parametrize("framework", ENVIRONMENTS)
def test_client_calls_the_tool_of_a_framework(framework, environment):
    python = environment(ENVIRONMENTS[framework])

    async def talk():
        served = StdioServerParameters(
            command=str(python.python),
            args=["-m", "toolkit_cli", "serve", "tools.py", "--approve", "forecast"],
            cwd=CASES / f"{framework}_commands",
            env=python.variables,
        )
        async with Client(served) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            good = await client.call_tool("forecast", {"city": "Oslo"})
            bad = await client.call_tool("forecast", {})
            return names, good, bad

    names, good, bad = asyncio.run(talk())
    assert names == ["forecast"]
    assert (good.is_error, good.content[0].text.startswith("Oslo: sunny")) == (False, True)
    assert (bad.is_error, bad.content[0].text) == (True, "Missing required parameter(s): city")

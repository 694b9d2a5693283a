"""What FastMCP's own client receives from our server is what `--as` stands on."""

import json
import sys

import pytest

from tests.cli.test_client_views import ROWS, TOOLS
from toolkit.dialects import received
from toolkit.dialects.client_results import APIS, CallOf  # private

pytestmark = pytest.mark.proof

CLIENT = """
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def talk():
    served = StdioTransport(sys.argv[1], ["-m", "toolkit_cli", "serve", "tools.py"])
    async with Client(served) as client:
        return [
            await client.call_tool_mcp("report", {"product": "pot"}),
            await client.call_tool_mcp("stock", {"product": "none"}),
        ]


shown = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in asyncio.run(talk())]
print(json.dumps(shown))
"""


@pytest.mark.parametrize("name", ["fastmcp3", "fastmcp4"])
def test_client_of_fastmcp_receives_what_the_views_stand_on(environment, tmp_path, name):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "client.py").write_text(CLIENT, "utf-8")
    done = environment(name).run("client.py", sys.executable, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    for one in answers:
        one.pop("resultType", None)
    calls = [CallOf("report", {"product": "pot"}), CallOf("stock", {"product": "none"})]
    for client in ROWS.keys() - APIS.keys() - {"gemini-cli"}:
        seen = [f"{received(one, client, call).text}\n" for one, call in zip(answers, calls, strict=True)]
        assert seen == [ROWS[client][0], ROWS[client][3]]

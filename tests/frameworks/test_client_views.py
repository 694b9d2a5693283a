"""FastMCP's own client receives the answers on which `--as` stands."""

import json
import sys

import pytest

from tests.cli.test_client_views import ANSWERS, ANSWERS_OF_NOW, CALLS, TOOLS, without_frame

pytestmark = pytest.mark.proof

CLIENT = """
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def talk(calls):
    served = StdioTransport(sys.argv[1], ["-m", "toolkit_cli", "serve", "tools.py"])
    async with Client(served) as client:
        return [await client.call_tool_mcp(tool, arguments) for tool, arguments in calls]


answers = asyncio.run(talk(json.loads(sys.argv[2])))
print(json.dumps([one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in answers]))
"""


@pytest.mark.parametrize("name", ["fastmcp3", "fastmcp4"])
def test_client_of_fastmcp_receives_these_answers(environment, tmp_path, name):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "client.py").write_text(CLIENT, "utf-8")
    done = environment(name).run("client.py", sys.executable, json.dumps(CALLS), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answers = [without_frame(one) for one in json.loads(done.stdout)]
    assert answers == (ANSWERS_OF_NOW if name == "fastmcp4" else ANSWERS)

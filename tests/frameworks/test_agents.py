"""An agent on the command line, whose tools are those of a framework."""

import json

import pytest

from tests.chat_server import ChatServer
from tests.frameworks.sessions import CASES

pytestmark = pytest.mark.proof

TURNS = """
turns:
  - calls: [{tool: forecast, arguments: {city: Oslo}}]
  - It will be sunny in Oslo.
"""
ENVIRONMENTS = {
    "fastmcp": "fastmcp4",
    "mcp_sdk": "mcp2",
    "langchain": "agents",
    "pydantic_ai": "agents",
    "openai_agents": "agents",
    "anthropic_sdk": "anthropic",
    "claude_agent_sdk": "anthropic",
}


@pytest.mark.parametrize("framework", ENVIRONMENTS)
def test_model_calls_the_tool_of_a_framework(framework, environment, tmp_path):
    (tmp_path / "weather.yaml").write_text(TURNS, "utf-8")
    tools = CASES / f"{framework}_commands" / "tools.py"
    with ChatServer.of_folder(tmp_path) as server:
        model = ["--model", "chat:weather", "--base-url", server.url]
        arguments = [
            "agent",
            "What will the weather be like?",
            "--tools",
            tools,
            "--approve",
            "forecast",
            *model,
            "--format",
            "jsonl",
        ]
        ended = environment(ENVIRONMENTS[framework]).run("-m", "toolkit_cli", *arguments, cwd=tmp_path)
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, ended.stderr
    assert "Oslo: sunny" in ended.stdout
    assert "It will be sunny in Oslo." in json.dumps(events[-1])

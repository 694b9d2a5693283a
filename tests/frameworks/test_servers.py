"""Servers of the MCP SDK that the tests themselves have: what every day shows of tools of other frameworks."""

import asyncio
import os
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from tests.installers import INSTALL
from toolkit import Reject, ToolContext, resolve_tools
from toolkit.tools.foreign.frameworks import FRAMEWORK_OF_PACKAGE, support_for, title_of  # private

SERVER = """
from mcp.server.mcpserver import MCPServer

from toolkit import tool

shop = MCPServer("shop")


@shop.tool(name="look-up")
def find(order: str) -> str:
    '''Look an order up.'''
    return f"{order} is on its way"


@tool
def greet(name: str) -> str:
    '''Greet somebody.'''
    return f"Hello, {name}!"


all_of_it = {"server": shop, "note": "a text"}
"""


@pytest.fixture
def program(tmp_path):
    """Run the program in an empty folder."""

    def run(*arguments, **variables):
        settings = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
        ended = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *arguments],
            cwd=tmp_path,
            env={**settings, "COLUMNS": "100", **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return ended.returncode, ended.stdout, ended.stderr

    return run


def shop():
    server = MCPServer("shop")

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    def refund(euros: int) -> dict[str, int]:
        """Pay money back."""
        return {"paid": euros}

    return server


class Nobody:
    async def review(self, request):
        return Reject("not today")


def test_tool_of_a_server_answers_as_its_clients_are_answered():
    result = resolve_tools([shop()])["refund"].run({"euros": 3})
    assert (result.structured, result.error) == ({"paid": 3}, None)


def test_destructive_hint_is_asked_about():
    result = resolve_tools([shop()])["refund"].run({"euros": 3}, ToolContext(reviewer=Nobody()))
    assert result.error == "Rejected by reviewer: not today"


def test_tools_of_two_kinds_stand_in_one_module(program, tmp_path):
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    assert program("list", "server.py") == (
        0,
        (
            "NAME     FRAMEWORK  FROM       DESCRIPTION\n"
            "look-up  MCP SDK    server.py  Look an order up.\n"
            "greet               server.py  Greet somebody.\n"
        ),
        "",
    )
    for name in ("find", "look-up", "shop", "all_of_it"):
        assert program("run", f"server.py:{name}", "order=A-1") == (0, "A-1 is on its way\n", "")


@pytest.mark.proof
def test_served_tools_are_those_of_the_server(tmp_path):
    (tmp_path / "server.py").write_text(SERVER, "utf-8")

    async def talk():
        command = ["-m", "toolkit_cli", "serve", "server.py", "--approve", "look-up"]
        async with Client(StdioServerParameters(command=sys.executable, args=command, cwd=tmp_path)) as client:
            listed = [(one.name, one.description) for one in (await client.list_tools()).tools]
            return listed, (await client.call_tool("look-up", {"order": "A-1"})).content[0].text

    assert asyncio.run(talk()) == (
        [("look-up", "Look an order up."), ("greet", "Greet somebody.")],
        "A-1 is on its way",
    )


OLD = {
    "Anthropic SDK": ("anthropic", "0.83.0", "0.84", "anthropic.lib.tools._beta_functions.BaseFunctionTool"),
    "AutoGen": ("autogen-core", "0.0.2", "0.4", "autogen_core.tools._base.BaseTool"),
    "Claude Agent SDK": ("claude-agent-sdk", "0.0.25", "0.1", "claude_agent_sdk.SdkMcpTool"),
    "CrewAI": ("crewai", "1.8.1", "1.9", "crewai.tools.base_tool.BaseTool"),
    "FastMCP": ("fastmcp", "1.0", "2.13", "fastmcp.server.server.FastMCP"),
    "Google ADK": ("google-adk", "1.13.0", "1.14", "google.adk.tools.base_tool.BaseTool"),
    "Haystack": ("haystack-ai", "2.13.2", "2.14", "haystack.tools.tool.Tool"),
    "LangChain": ("langchain-core", "0.2.43", "0.3", "langchain_core.tools.base.BaseTool"),
    "LlamaIndex": ("llama-index-core", "0.12.27", "0.12.28", "llama_index.core.tools.types.BaseTool"),
    "MCP SDK": ("mcp", "1.9.4", "1.10", "mcp.server.fastmcp.server.FastMCP"),
    "OpenAI Agents": ("openai-agents", "0.10.5", "0.11", "agents.tool.FunctionTool"),
    "pydantic-ai": ("pydantic-ai-slim", "1.59.0", "2.0", "pydantic_ai.tools.Tool"),
    "Semantic Kernel": ("semantic-kernel", "1.1.2", "1.2", "semantic_kernel.kernel.Kernel"),
    "smolagents": ("smolagents", "1.4.1", "1.5", "smolagents.tools.Tool"),
    "Strands": ("strands-agents", "0.2.1", "0.3", "strands.types.tools.AgentTool"),
}


def test_every_framework_has_a_first_version():
    called = {name for name in FRAMEWORK_OF_PACKAGE.values() if hasattr(support_for(name), "CLASSES")}
    assert sorted(OLD) == sorted(map(title_of, called))


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("framework", OLD)
def test_version_that_is_too_old_is_one_line(framework, program, tmp_path):
    distribution, version, first, thing = OLD[framework]
    dotted, _, name = thing.rpartition(".")
    old = tmp_path / "site"
    packages = dotted.split(".")
    texts = {f"{'/'.join(packages[:depth])}/__init__.py": "" for depth in range(1, len(packages))}
    texts[f"{'/'.join(packages)}{'.py' if texts else '/__init__.py'}"] = f"class {name}:\n    pass\n"
    info = f"{distribution.replace('-', '_')}-{version}.dist-info/METADATA"
    texts[info] = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    for path, text in texts.items():
        (old / path).parent.mkdir(parents=True, exist_ok=True)
        (old / path).write_text(text, "utf-8")
    (tmp_path / "server.py").write_text(f"from {dotted} import {name}\n\nmade = {name}()\n", "utf-8")
    assert program("run", "server.py:made", PYTHONPATH=str(old)) == (
        2,
        "",
        (
            f"error[TK003]: tools of {distribution} {version} cannot be used: the first supported version is {first}\n"
            " --> server.py:3:1\n"
            "  |\n"
            f"3 | made = {name}()\n"
            "  | ^\n"
            "  |\n"
            f"hint: upgrade it: {INSTALL} '{distribution}>={first}'\n"
        ),
    )

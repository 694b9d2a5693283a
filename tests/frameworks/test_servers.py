"""Servers of the MCP SDK that the tests themselves have: what every day shows of tools of other frameworks."""

import asyncio
import os
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from toolkit import Reject, ToolContext, resolve_tools

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
    "fastmcp": ("fastmcp", "1.0", "2.13", {"server/__init__.py": "", "server/server.py": "FastMCP"}),
    "LangChain": ("langchain-core", "0.2.43", "0.3", {"tools/__init__.py": "", "tools/base.py": "BaseTool"}),
    "pydantic-ai": ("pydantic-ai-slim", "1.59.0", "2.0", {"tools.py": "Tool"}),
    "OpenAI Agents": ("openai-agents", "0.10.5", "0.11", {"tool.py": "FunctionTool"}),
}
PACKAGES = {"langchain-core": "langchain_core", "pydantic-ai-slim": "pydantic_ai", "openai-agents": "agents"}


@pytest.mark.parametrize("framework", OLD)
def test_version_that_is_too_old_is_one_line(framework, program, tmp_path):
    distribution, version, first, modules = OLD[framework]
    package = PACKAGES.get(distribution, distribution)
    [(module, name)] = [(path, text) for path, text in modules.items() if text]
    old = tmp_path / "site"
    texts = {f"{package}/{path}": f"class {text}:\n    pass\n" if text else "" for path, text in modules.items()}
    texts[f"{package}/__init__.py"] = ""
    info = f"{distribution.replace('-', '_')}-{version}.dist-info/METADATA"
    texts[info] = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    for path, text in texts.items():
        (old / path).parent.mkdir(parents=True, exist_ok=True)
        (old / path).write_text(text, "utf-8")
    dotted = f"{package}.{module.removesuffix('.py').replace('/', '.')}"
    (tmp_path / "server.py").write_text(f"from {dotted} import {name}\n\nmade = {name}()\n", "utf-8")
    assert program("run", "server.py:made", PYTHONPATH=str(old)) == (
        2,
        "",
        (
            f"error[TK003]: tools of {distribution} {version} cannot be used: {first} is the first version that can\n"
            " --> server.py:3:1\n"
            "  |\n"
            f"3 | made = {name}()\n"
            "  | ^\n"
            "  |\n"
            f"hint: upgrade it: pip install '{distribution}>={first}'\n"
        ),
    )

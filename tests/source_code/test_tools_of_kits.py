"""Methods are tools if a list that an object of the project returns has them; what converts other tools is none."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

KITS = '''
class Base:
    def ask(self, question: str) -> str:
        """Ask the library a question."""
        return question


class SearchKit(Base):
    def __init__(self, base):
        self.base = base
        self.kept = [self.find]

    def find(self, query: str) -> str:
        """Find pages about a query."""
        return query

    def search(self, query: str) -> str:
        """Search the index for a query."""
        return query

    def get_tools(self):
        return [self.find, self.search]

    def get_most(self):
        found = [self.find]
        if self.base:
            found.append(self.ask)
        return found


class WideKit(SearchKit):
    def get_tools(self):
        return super().get_tools() + [self.ask]
'''
AGENT = "from agno.agent import Agent\nfrom kits import SearchKit, WideKit\n"
SERVER = """
from mcp.server.fastmcp import FastMCP

from kits import Base


class Server(Base):
    def __init__(self):
        self.mcp = FastMCP("library")
        self.mcp.tool()(self.ask)
"""


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Write a file beside one with kits, and return the names of its tools."""
    monkeypatch.chdir(tmp_path)
    Path("kits.py").write_text(KITS, "utf-8")

    def listed(text):
        Path("agent.py").write_text(text, "utf-8")
        result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "agent.py"])
        return sorted(str(one["name"]) for one in json.loads(result.stdout or "[]"))

    return listed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("agent = Agent(tools=SearchKit('a').get_tools())", ["find", "search"]),
        ("kit = SearchKit('a')\nagent = Agent(tools=[*kit.get_tools(), kit.ask])", ["ask", "find", "search"]),
        ("def make():\n    kit = SearchKit('a')\n    return Agent(tools=kit.get_tools())", ["find", "search"]),
        ("def make(kit: SearchKit):\n    return Agent(tools=kit.get_tools())", ["find", "search"]),
        ("agent = Agent(tools=SearchKit('a').get_most())", ["ask", "find"]),
        ("agent = Agent(tools=WideKit('a').get_tools())", ["ask", "find", "search"]),
        ("agent = Agent(tools=SearchKit('a').kept)", ["find"]),
    ],
)
def test_methods_in_the_list_that_an_object_returns_are_tools(listed, text, names):
    assert listed(AGENT + text) == names


def test_inherited_method_that_a_server_registers_has_its_name(listed):
    assert listed(SERVER) == ["ask"]


@pytest.mark.parametrize(
    "made",
    [
        "StructuredTool.from_function(func=self.fn, name=self.name, description=self.text)",
        "types.Tool(name=self.name, description=self.text, inputSchema=self.schema)",
    ],
)
def test_method_that_converts_its_object_is_no_tool(listed, made):
    imports = "from langchain_core.tools import StructuredTool\nfrom mcp import types\n\n\n"
    assert listed(f"{imports}class Entry:\n    def convert(self):\n        return {made}\n") == []

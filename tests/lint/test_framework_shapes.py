"""Shapes of tools as real code has them: what is in order stays in peace, and what is a mistake is found."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

IN_ORDER = {
    "a class whose name and description a toolkit gives later": '''
from langchain_core.tools import BaseTool


class GitAction(BaseTool):
    """Tool that talks to a forge."""

    mode: str
    name: str = ""
    description: str = ""

    def _run(self, instructions: str) -> str:
        return self.mode + instructions
''',
    "a docstring that describes the fields of a model": '''
from fastmcp import FastMCP
from shop.models import CreateCacheRequest

mcp = FastMCP("shop")


@mcp.tool
def create_cache(request: CreateCacheRequest) -> dict[str, str]:
    """Create a cache that grows with its load, and say where it can be reached.

    Args:
        cache_name (str): What the cache is called.
        engine (str): The engine that it runs on.
    """
    return {"cache": request.cache_name}
''',
    "usage of a command in backticks": '''
from fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.tool
def describe_cluster() -> str:
    """Describe the cluster of the shop; where that fails, ask for `aws describe-cluster --name <name>` instead."""
    return "well"
''',
    "advice about an action, and languages that only read": '''
from fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.tool
def deploy_app_help() -> str:
    """Explain step by step how an app of the shop is deployed."""
    return "first, build it"


@mcp.tool
def execute_promql_query() -> str:
    """Return what the usual query for the load of the shop finds now."""
    return "up"
''',
    "a wrapper that takes everything from the function that it wraps": """
import functools

from fastmcp import FastMCP

mcp = FastMCP("shop")


def audited(mcp, name, **given):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        mcp.tool(name=name, **given)(wrapper)
        return wrapper

    return decorator
""",
    "a parameter that the class above asks for": """
from typing import Optional

from langchain_core.tools import BaseTool
from pydantic import BaseModel


class ListTables(BaseTool):
    name: str = "list_tables"
    description: str = "List all tables of the database, one in a line; the input is left empty."
    args_schema: type[BaseModel] = BaseModel

    def _run(self, tool_input: Optional[str] = "") -> str:
        return "orders"
""",
    "a parameter that the base class of a whole call has": '''
from strands.types.tools import AgentTool


class Relay(AgentTool):
    """Passes each call on to another machine."""

    @property
    def tool_name(self) -> str:
        return "relay"

    @property
    def tool_spec(self) -> dict:
        return self._spec

    async def stream(self, tool_use: dict, invocation_state: dict, **kwargs):
        yield await self._relay(tool_use["input"])
''',
    "functions that stand for others in an example": '''
from fastmcp import FastMCP
from shop.models import Flight

mcp = FastMCP("shop")


@mcp.tool
def find_flight(origin: str, destination: str) -> Flight:
    """Find the next flight from one city to another one."""
    return Flight(number="SK 12", seats=[1, -2])


@mcp.tool
def refuse_order(order: str) -> str:
    """Refuse an order of the shop, so that nobody packs it."""
    raise ValueError("no order can be refused today")
''',
    "a file of settings from which the tool takes a profile": '''
from fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.tool
def list_buckets(profile: str, cluster: str) -> str:
    """List the buckets of an account, one in a line.

    Args:
        profile: The profile of ~/.aws/credentials to use. Leave it empty for the first one.
        cluster: The cluster, by default the current context of ~/.kube/config.
    """
    return profile + cluster
''',
    "a description that is only known when the tool is made": """
from crewai.tools import BaseTool


class Grader(BaseTool):
    name: str = "Grade every answer of the assistant by all the criteria that there are today"
    description: str = ""

    def __init__(self, criteria: list[str]) -> None:
        super().__init__()
        self.description = f"Grade an answer by {criteria}."

    def _run(self, answer: str) -> str:
        return answer
""",
    "a tool that a dictionary defines": """
from livekit.agents import RunContext, function_tool

SCHEMA = {
    "name": "check_day",
    "description": "Check the free hours of a day; use it when a caller names a date.",
    "parameters": {
        "type": "object",
        "properties": {"date": {"type": "string", "description": "The day, as YYYY-MM-DD."}},
        "required": ["date"],
    },
}


def make_tools(calendar, schema):
    @function_tool(raw_schema=SCHEMA)
    async def check(raw_arguments: dict, context: RunContext) -> str:
        return await calendar.check(raw_arguments["date"])

    @function_tool(raw_schema=schema)
    async def book(raw_arguments: dict, context: RunContext) -> str:
        return await calendar.book(raw_arguments["date"])

    return [check, book]
""",
    "a description that a method sets": """
from crewai.tools import BaseTool


class SkillLoader(BaseTool):
    name: str = "load_skill"
    description: str = ""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._describe(folder)

    def _describe(self, folder: str) -> None:
        self.description = f"Load one of the skills in {folder}."

    def _run(self, answer: str) -> str:
        return answer
""",
    "a function that a definition calls with its own arguments": """
from agents import FunctionTool


async def find(ctx, arguments: str) -> str:
    return await shop.find(arguments)


finder = FunctionTool(
    name="find_order",
    description="Find an order of the shop by its number.",
    params_json_schema={"type": "object", "properties": {}, "additionalProperties": False},
    on_invoke_tool=find,
)
""",
    "a coroutine function that LangChain's decorator takes as an argument": '''
from langchain_core.tools import tool


async def find_order(number: str) -> str:
    """Find an order of the shop by its number."""
    return await shop.find(number)


finder = tool(find_order)
by_name = tool("find_by_number")(find_order)
''',
    "a function that receives the arguments as one object": """
from typing import Any

from claude_agent_sdk import tool


@tool("list_orders", "List the open orders of the shop.", {})
async def list_orders(args: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": await shop.orders()}]}
""",
    "a page of Streamlit": '''
import asyncio

import streamlit as st
from agents import function_tool


@function_tool
def find_flight(origin: str) -> str:
    """Find the next flight that starts in a city."""
    return origin


if st.button("Start"):
    asyncio.run(find_flight("Oslo"))
''',
    "a server whose messages go over HTTP": '''
from fastmcp import FastMCP
from starlette.applications import Starlette


class Station:
    def __init__(self) -> None:
        self.mcp = FastMCP("weather")

        @self.mcp.tool()
        def look(city: str) -> str:
            """Look out of the window in a city now."""
            print("looking")
            return city

    async def answer(self, streams) -> None:
        await self.mcp._mcp_server.run(streams[0], streams[1], {})

    def run(self) -> None:
        import uvicorn

        print("the station is open")
        uvicorn.run(Starlette())


if __name__ == "__main__":
    server = Station()
    server.run()
''',
}
MISTAKE = '''
from mcp.server.fastmcp import FastMCP
from mcp.types import CallToolResult

mcp = FastMCP("users")


@mcp.tool()
async def list_users(ctx: CallToolResult) -> str:
    """List all users of the account, a name in each line."""
    await ctx.info("looking")
    return "ada"
'''
DERIVED = '''
from fastmcp import FastMCP
from langchain_core.tools import BaseTool
from pydantic_ai import FunctionToolset


class Station(FastMCP):
    pass


class Windows(FunctionToolset):
    pass


class Search(BaseTool):
    """A base of others."""


class SearchNotes(Search):
    name: str = "search_notes"
    description: str = "Search all of the notes by their words."

    def _run(self, query: str) -> str:
        return query


station, windows = Station("weather"), Windows()


@station.tool
def forecast(city: str) -> str:
    """Forecast the weather of tomorrow in a city."""
    return city


@windows.tool_plain
def look(city: str) -> str:
    """Look out of the window in a city now."""
    return city
'''


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run a command on a module, and return what it prints as data."""
    monkeypatch.chdir(tmp_path)

    def run(source, *arguments):
        (tmp_path / "tools.py").write_text(source, "utf-8")
        return json.loads(CliRunner().invoke(application(), [*arguments, "--format", "json", "tools.py"]).stdout)

    return run


@pytest.mark.parametrize("what", IN_ORDER)
def test_what_real_code_does_rightly_is_left_in_peace(command, what):
    found = command(IN_ORDER[what], "lint", "--static", "--no-cache", "--ignore", "TK204,TK710")
    assert [(one["code"], one["message"]) for one in found] == []


@pytest.mark.parametrize(("handlers", "severity"), [("find", "warning"), ("find pay send", "info")])
def test_parameter_of_several_handlers_of_another_file_is_a_convention(command, handlers, severity):
    shop = "\n\n".join(f"def {one}(request):\n    return store.{one}()\n" for one in handlers.split())
    Path("shop.py").write_text(shop, "utf-8")
    made = "tools = [Tool.from_function(shop.find, description='Find all orders of the shop.')]"
    server = f"import shop\nfrom fastmcp.tools import Tool\n\n{made}\n"
    found = command(server, "lint", "--static", "--no-cache", "--select", "TK401")
    assert [(one["location"]["file"], one["severity"]) for one in found] == [("shop.py", severity)]


def test_tool_that_a_dictionary_defines_has_its_name_and_its_mistakes(command):
    text = IN_ORDER["a tool that a dictionary defines"]
    found = command(text, "list", "--static")
    assert [(one["name"], one["framework"]) for one in found] == [("check_day", "livekit"), (None, "livekit")]
    bare = text.replace("Check the free hours of a day; use it when a caller names a date.", "")
    bare = bare.replace(', "description": "The day, as YYYY-MM-DD."', "")
    found = command(bare, "lint", "--static", "--no-cache", "--select", "TK201,TK204")
    assert sorted(one["message"] for one in found) == [
        "parameter 'date' of 'check_day' has no description",
        "tool 'check_day' has no description",
    ]


READY_MADE = '''
from crewai.tools import BaseTool
from crewai_tools import FileReadTool


class NotesReader(FileReadTool):
    """Reads a file with notes of the shop."""

    def _run(self, file_path: str, first_line: int) -> str:
        return super()._run(file_path, first_line)


class OrderReader(BaseTool):
    name: str = "read_order"
    description: str = "Read an order of the shop, with all of its lines."

    def _run(self, order: str, first_line: int) -> str:
        return order + str(first_line)
'''


def test_parameters_of_a_tool_that_a_package_has_ready_made_may_be_described_there(command):
    found = command(READY_MADE, "lint", "--static", "--no-cache", "--select", "TK204")
    assert [one["message"] for one in found] == [
        "parameter 'order' of 'read_order' has no description",
        "parameter 'first_line' of 'read_order' has no description",
    ]


REPL = '''
from langchain_core.tools import tool


@tool
def python_repl(code: str) -> str:
    """Run a program in Python, and return the value of its variable `result`."""
    found = {}
    exec(code, found)
    return str(found.get("result"))
'''


def test_tool_that_is_made_to_run_code_needs_approval_and_no_other_way_to_read_values(command):
    found = command(REPL, "lint", "--static", "--no-cache", "--select", "TK506,TK511")
    assert [(one["code"], one["hint"]) for one in found] == [
        ("TK506", "write HumanInTheLoopMiddleware(interrupt_on={'python_repl': True}) in the agent")
    ]


def test_context_with_another_type_of_the_framework_is_found(command):
    for source in (MISTAKE, MISTAKE.replace('    await ctx.info("looking")\n', '    seen = "ada"\n')):
        found = command(source, "lint", "--static", "--no-cache", "--select", "TK401,TK703")
        assert [one["message"] for one in found] == ["parameter 'ctx' of 'list_users' is sent to the model"]


@pytest.mark.parametrize(("indent", "codes"), [("", []), (" ", []), ("# ", ["TK707"])])
def test_section_of_parameters_that_smolagents_reads_may_be_indented(indent, codes, command):
    text = f'''
from smolagents import tool


@tool
def find(order: str) -> str:
    """Find an order.

    {indent}Args:
        order: Its number.
    """
    return order
'''
    assert [one["code"] for one in command(text, "lint", "--static", "--no-cache", "--select", "TK707")] == codes


@pytest.mark.parametrize(("between", "count"), [("", 1), ("mcp = FastMCP('again')\n\n", 0)])
def test_name_is_given_twice_only_if_the_server_is_the_same(between, count, command):
    tool = '@mcp.tool\ndef find(order: str) -> str:\n    """Find an order."""\n    return order\n\n\n'
    source = f"from fastmcp import FastMCP\n\nmcp = FastMCP('shop')\n\n\n{tool}{between}{tool}"
    assert len(command(source, "lint", "--static", "--no-cache", "--select", "TK103")) == count


@pytest.mark.parametrize(
    ("head", "codes"),
    [
        ("from fastmcp import FastMCP\n\nmark = FastMCP('shop').tool", []),
        ("from strands import tool as mark", ["TK313"]),
    ],
)
def test_default_that_a_function_changes_is_copied_by_servers(head, codes, command):
    function = (
        '@mark\ndef find(orders: list[str] = ["all"]) -> list[str]:\n    """Find orders."""\n    orders.append("x")\n'
    )
    source = f"{head}\n\n\n{function}    return orders\n"
    assert [one["code"] for one in command(source, "lint", "--static", "--no-cache", "--select", "TK313")] == codes


def test_context_of_a_function_without_a_body_is_a_note(command):
    body = '    await ctx.info("looking")\n'
    assert body in MISTAKE
    for source, severity in ((MISTAKE, "error"), (MISTAKE[: MISTAKE.index(body)] + "    pass\n", "info")):
        found = command(source, "lint", "--static", "--no-cache", "--select", "TK703")
        assert [one["severity"] for one in found] == [severity]


def test_tools_of_classes_that_are_derived_from_those_of_a_framework_are_found(command):
    found = command(DERIVED, "list", "--static")
    assert [(one["name"], one["framework"], one["kind"]) for one in found] == [
        ("search_notes", "langchain", "class"),
        ("forecast", "fastmcp", "decorator"),
        ("look", "pydantic_ai", "decorator"),
    ]


BARE = """
from {package} import tool


@tool
def find(order: str) -> str:{docstring}
    return shop.find(order)
"""


@pytest.mark.parametrize(
    ("package", "docstring", "less"),
    [("langchain_core.tools", "", "TK201"), ("smolagents", '\n    """Find an order of the shop."""', "TK204")],
)
def test_description_that_a_framework_demands_is_missed_once(command, package, docstring, less):
    words = ["lint", "--static", "--no-cache", "--profile", "all", "--select"]
    bare = BARE.format(package=package, docstring=docstring)
    assert [one["code"] for one in command(bare, *words, f"TK707,{less}")] == ["TK707"]
    assert [one["code"] for one in command(bare, *words, less)] == [less]

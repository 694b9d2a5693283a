"""Lint says where a source registers tools that it does not show, and follows a project's own registries."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

LOOP = """
from fastmcp import FastMCP
from found import functions

server = FastMCP("shop")

for name, function in functions():
    server.tool(name=name)(function)
"""
FOUND = """
def functions():
    return []
"""
REGISTRY = """
import fastmcp

TOOLS = []


def shop_tool(name=None, description=None):
    def decorate(function):
        TOOLS.append({"function": function, "name": name})
        return function

    return decorate
"""
MARKED = '''
from registry import shop_tool


@shop_tool(name="find_order")
def find(order: str) -> str:
    """Find an order in the shop by its number."""
    return order
'''
SERVER = """
from fastmcp import FastMCP
from registry import TOOLS

server = FastMCP("shop")

for one in TOOLS:
    server.tool(name=one["name"])(one["function"])
"""
UNKNOWN_MARK = MARKED.replace("registry import shop_tool", "elsewhere import shop").replace("shop_tool", "shop.expose")
MESSAGE = "FastMCP may have more tools: the source does not show what 'server.tool(name=name)(…)' registers"


def run(*arguments):
    """Return what a command prints, and its exit code."""
    result = CliRunner().invoke(application(), [*arguments])
    assert "Traceback" not in result.output
    return result


def findings(*arguments):
    """Return the code, place and message of what lint reports, and its exit code."""
    result = run("lint", "--format", "json", "--no-cache", "--profile", "all", *arguments)
    found = [
        (one["code"], one["severity"], one["location"] and f"{one['location']['file']}:{one['location']['line']}")
        for one in json.loads(result.stdout)
    ]
    return found, result.exit_code


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["not installed", "static"])
def test_loop_that_registers_unknown_functions_is_named(write, mode):
    write(server=LOOP, found=FOUND)
    assert findings(*mode, ".") == ([("TK004", "warning", "server.py:8")], 0)
    assert MESSAGE in run("lint", "--no-cache", *mode, ".").output
    assert findings(*mode, "--require-tools", ".") == ([("TK004", "error", "server.py:8")], 1)
    assert findings(*mode, "server.py") == ([("TK004", "warning", "server.py:8")], 0)


def test_tools_that_a_program_makes_for_its_own_agent_are_reported_too(write):
    loop = "from langchain_core.tools import tool\nfrom found import functions\n\nTOOLS = [tool(one) for one in functions()]\n"
    ask = '@tool\ndef ask(question: str) -> str:\n    """Ask the user a question about an order."""\n    return question\n'
    write(agent=f"{loop}\n\n{ask}", found=FOUND)
    assert findings("--static", ".") == ([("TK004", "warning", "agent.py:4"), ("TK204", "info", "agent.py:8")], 0)
    assert findings("--static", "--profile", "essential", ".") == ([], 0)
    assert findings("--static", "--profile", "essential", "--require-tools", ".") == (
        [("TK004", "error", "agent.py:4")],
        1,
    )


def test_note_says_where_more_tools_may_be_registered(write):
    write(
        server=f"{LOOP}\n\n@server.tool\ndef ask() -> str:\n    '''Ask the shop.'''\n    return input()\n", found=FOUND
    )
    told = run("lint", "--static", "--no-cache", ".").output
    assert "more tools may be registered at server.py:8:" in told
    assert MESSAGE not in told
    told = run("lint", "--static", "--no-cache", "--format", "json", ".").stderr
    assert [place.partition(":")[0] for place in json.loads(told)["unseen"]] == ["server.py"]


WRAPPING = {
    "what the caller passes": "class Agent:\n    def __init__(self, tools):\n        self.tools = [tool(one) for one in tools]\n",
    "one item of it": "def make(functions, name):\n    return tool(functions[name])\n",
    "what is a tool already": "TOOLS = [one if isinstance(one, BaseTool) else tool(one) for one in functions()]\n",
    "a demonstration": "if __name__ == '__main__':\n    TOOLS = [tool(one) for one in functions()]\n",
}


@pytest.mark.parametrize("what", WRAPPING)
def test_wrappers_of_what_somebody_else_knows_hide_nothing(write, what):
    head = "from langchain_core.tools import BaseTool, tool\nfrom found import functions\n\n"
    write(agent=f"{head}{WRAPPING[what]}", found=FOUND)
    found, _ = findings("--static", "--profile", "essential", ".")
    assert [one for one in found if one[0] == "TK004"] == []
    assert findings("--static", "--profile", "all", "--require-tools", ".")[1] == 1


def test_list_names_what_it_cannot_follow(write):
    write(server=LOOP, found=FOUND)
    assert MESSAGE in run("list", "--static", ".").stderr


def test_registry_of_the_project_is_followed_to_the_loop_that_reads_it(write):
    write(registry=REGISTRY, server=SERVER, tools=MARKED)
    listed = json.loads(run("list", "--static", "--format", "json", "tools.py").stdout)
    assert [(one["name"], one["framework"], one["line"]) for one in listed] == [("find_order", "fastmcp", 6)]
    assert findings("--static", ".") == ([("TK204", "info", "tools.py:6")], 0)


def test_registry_that_a_package_offers_is_followed_to_the_loop_that_reads_it(write):
    write(registry_in___init__="from .marks import TOOLS, shop_tool\n", registry_in_marks=REGISTRY)
    write(server=SERVER, tools=MARKED)
    assert findings("--static", ".") == ([("TK204", "info", "tools.py:6")], 0)


def test_decorator_that_keeps_no_function_registers_none(write):
    write(registry=REGISTRY.replace("TOOLS.append", "print"), tools=MARKED)
    assert json.loads(run("list", "--static", "--format", "json", "tools.py").stdout) == []


REPORTING = """
class ToolError(Exception): ...


def shop_tool(name=None):
    def decorate(function):
        def wrapper(order):
            try:
                return function(order)
            except KeyError as error:
                raise ToolError(f"{name} has failed") from error

        return wrapper

    return decorate
"""


def test_decorator_that_names_its_functions_in_errors_registers_none(write):
    write(registry=REPORTING, server="import fastmcp\nimport registry\n\nserver = fastmcp.FastMCP()\n", tools=MARKED)
    assert json.loads(run("list", "--static", "--format", "json", "tools.py").stdout) == []


@pytest.mark.parametrize("name", ["expose", "shop.expose", "elsewhere.shop.expose"])
def test_decorator_in_the_configuration_registers_tools(write, name):
    write(f'[tool.toolkit.lint]\ntool-decorators = ["{name}"]\n', tools=UNKNOWN_MARK)
    assert [one["name"] for one in json.loads(run("list", "--static", "--format", "json", ".").stdout)] == [
        "find_order"
    ]
    for mode in ((), ("--static",)):
        assert findings(*mode, ".") == ([("TK204", "info", "tools.py:6")], 0)
    Path("pyproject.toml").write_text("", "utf-8")
    assert findings("--static", ".") == ([("TK004", "warning", None)], 0)


def test_wrong_configuration_of_decorators_is_reported(write):
    write("[tool.toolkit.lint]\ntool-decorators = 'expose'\n", tools=UNKNOWN_MARK)
    for command in (("lint", "."), ("list", "--static", ".")):
        result = run(*command)
        assert result.exit_code == 2
        assert "'lint.tool-decorators' must be a list of strings" in result.stderr


def test_package_of_the_project_is_not_the_framework_with_its_name(write):
    write(
        agents="from agents_of.shop import Clerk\n\nClerk()\n",
        clerk="from agents import Clerk\nfrom langchain_core.messages import AIMessage\n",
    )
    assert "(no tools; 1 file imports LangChain: 'clerk.py'; " in run("lint", "--static", "--no-cache", ".").output


def test_folder_in_another_language_is_a_note_unless_tools_are_required(write):
    Path("index.ts").write_text("server.tool('look', {}, look)\n", "utf-8")
    assert findings("--static", ".") == ([("TK004", "info", None)], 0)
    assert findings("--static", "--require-tools", ".") == ([("TK004", "error", None)], 1)
    write(shop="X = 1\n")
    assert findings("--static", ".") == ([("TK004", "warning", None)], 0)


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_folder_that_only_uses_frameworks_has_a_note_in_the_summary_instead_of_a_finding(write, mode):
    write(crew="from crewai import Agent\nfrom crewai_tools import SerperDevTool\n\nAgent(tools=[SerperDevTool()])\n")
    write(agent="from langchain.agents import create_agent\n\ncreate_agent(model, tools=[])\n", tools="import json\n")
    note = "2 files import LangChain or CrewAI: 'agent.py', 'crew.py'"
    result = run("lint", "--no-cache", *mode, ".")
    assert (result.exit_code, f"(no tools; {note}; " in result.stdout, "TK004" in result.output) == (0, True, False)
    result = run("lint", "--no-cache", *mode, "--format", "json", ".")
    assert (result.exit_code, json.loads(result.stdout), json.loads(result.stderr)["uses"]) == (0, [], [note])
    found = "nothing that registers a tool was found in files that import a framework: 'agent.py' (LangChain), 'crew.py' (CrewAI)"
    result = run("lint", "--no-cache", *mode, "--require-tools", ".")
    assert (result.exit_code, found in result.stdout) == (1, True)
    assert run("lint", "--no-cache", *mode, "--compat", ".").exit_code == 1


@pytest.mark.parametrize("folder", [".", "shop"])
def test_static_list_names_the_files_that_only_use_frameworks_as_lint_does(write, folder):
    Path("shop").mkdir()
    Path("shop", "crew.py").write_text("from crewai import Agent\n\nAgent(tools=[])\n", "utf-8")
    Path("shop", "agent.py").write_text("from langchain.agents import create_agent\nimport crewai\n", "utf-8")
    Path("shop", "plain.py").write_text("import json\n", "utf-8")
    agent, crew = "shop/agent.py", "shop/crew.py"
    hint = (
        "nothing that registers a tool was found in files that import a framework: "
        f"'{agent}' (LangChain, CrewAI), '{crew}' (CrewAI)"
    )
    result = run("list", "--static", "--format", "json", folder)
    (problem,) = json.loads(result.stderr)["problems"]
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    assert (problem["message"], problem["hint"]) == (f"no tools found in the source of '{folder}'", hint)
    found = json.loads(run("lint", "--static", "--no-cache", "--require-tools", "--format", "json", folder).stdout)
    assert [one["hint"] for one in found] == [hint]


def test_server_whose_tools_a_function_of_another_package_registers_is_named_as_unread(write):
    write(server="from fastmcp import FastMCP\nfrom helper import build\n\nmcp = FastMCP('shop')\nbuild(mcp)\n")
    assert findings("--static", ".") == ([("TK004", "warning", "server.py:4")], 0)
    write(
        server="from fastmcp import FastMCP\n\nmcp = FastMCP('shop')\nmcp.resource('shop://hours')(lambda: '9 to 5')\n"
    )
    assert findings("--static", ".") == ([], 0)


def test_folder_with_many_files_that_use_a_framework_names_some(write):
    write(**{f"agent{number}": "import crewai\n" for number in range(7)})
    shown = "7 files import CrewAI: 'agent0.py', 'agent1.py', 'agent2.py', 'agent3.py', 'agent4.py' and 2 more"
    assert shown in run("lint", "--static", "--no-cache", ".").stdout


def test_decorator_in_a_docstring_registers_nothing(write):
    write(library='"""A library.\n\n    @shop.tool\n    def find(): ...\n"""\n\nimport fastmcp\n')
    assert findings("--static", ".") == ([], 0)
    write(library="import fastmcp\n\n\n@shop.tool\ndef find(): ...\n")
    assert findings("--static", ".") == ([("TK004", "warning", None)], 0)


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["imported", "static"])
def test_comparison_of_no_tools_with_providers_is_no_success(write, mode):
    write(tools="import json\n")
    result = run("lint", "--compat", *mode, "tools.py")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "nothing was compared: no tools were found\n")
    result = run("lint", "--compat", *mode, "--format", "json", "tools.py")
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"tools": [], "all": {}})


TABLE = """
from mcp.server import Server
from mcp.types import Tool

server = Server("shop")
FIND = {"name": "find", "inputSchema": {"type": "object", "properties": {"order": {"type": "string"}}}}
MORE = [{"name": "pay", "description": "Pay an order by its number.", "inputSchema": {"type": "object"}}]
BY_NAME = {"send": {"description": "Send an order by its number.", "inputSchema": {"type": "object"}}}


@server.list_tools()
async def listing() -> list[Tool]:
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("return [FIND, *MORE]", ["find", "pay"]),
        ("return [Tool(**one) for one in [FIND] + MORE]", ["find", "pay"]),
        ("return [Tool(name=one['name'], inputSchema=one['inputSchema']) for one in MORE]", ["pay"]),
        ("return [Tool(name=name, inputSchema=one['inputSchema']) for name, one in BY_NAME.items()]", ["send"]),
        ("return [Tool(name='find', inputSchema=one) for one in MORE]", ["find"]),
    ],
)
def test_tools_that_a_server_lists_from_a_table_are_found(write, body, names):
    write(server=f"{TABLE}    {body}\n")
    assert [one["name"] for one in json.loads(run("list", "--static", "--format", "json", ".").stdout)] == names
    assert f"({len(names)} tool" in run("lint", "--no-cache", "--static", ".").output


def test_tool_in_a_table_is_checked(write):
    write(server=f"{TABLE}    return [Tool(**one) for one in (FIND,)]\n")
    assert findings("--static", ".") == ([("TK204", "info", "server.py:6")], 0)


WRAPPED = """
from fastmcp import FastMCP

server = FastMCP("shop")
original = server.tool


def without_schema(*args, **options):
    options.pop("input_schema", None)
    return original(*args, **options)


server.tool = without_schema


@server.tool(description="Finds an order.")
def find(order: str) -> str:
    return order
"""


def test_decorator_that_passes_everything_on_hides_no_tools(write):
    write(server=WRAPPED)
    assert "TK004" not in {code for code, _, _ in findings("--static", ".")[0]}
    assert run("list", "--static", "--format", "json", ".").stdout.count('"name": "find"') == 1


BY_HAND = """
import json
import sys

TOOLS = json.loads(sys.argv[1])

for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    if method == "tools/list":
        print(json.dumps({"id": request["id"], "result": {"tools": TOOLS}}))
"""
ASKING = 'def ask(client):\n    return client.send({"method": "tools/list"})\n'


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["not imported", "static"])
def test_server_without_a_framework_whose_tools_are_computed_is_named_as_unread(write, mode):
    write(server=BY_HAND, client=ASKING)
    assert findings(*mode, ".") == ([("TK004", "warning", "server.py:10")], 0)
    told = "'server.py' is a server, and its source does not show which tools it has"
    assert told in run("lint", "--no-cache", "--profile", "all", *mode, ".").output


def test_client_and_server_that_asks_another_one_are_not_taken_for_one_without_a_framework(write):
    write(client=ASKING)
    assert findings("--static", ".") == ([("TK004", "warning", None)], 0)
    write(server=BY_HAND.replace('{"tools": TOOLS}', 'other.ask("tools/list")'))
    assert findings("--static", ".") == ([("TK004", "warning", None)], 0)
    write(client="import fastmcp\n")
    assert findings("--static", ".") == ([], 0)
    write(server=BY_HAND)
    assert findings("--static", ".") == ([("TK004", "warning", "server.py:10")], 0)


REMOTE = """
from mcp.server import Server
from mcp.types import Tool
from shop_client import Client

server = Server("shop")
client = Client()


@server.list_tools()
async def list_tools():
    found = client.search(kind="tool")
    return [Tool(name=one["name"], description=one["text"], inputSchema=one["schema"]) for one in found]
"""


def test_tools_that_a_server_takes_from_a_remote_service_are_a_note(write):
    write(server=REMOTE)
    assert findings("--select", "TK004", "--static", ".") == ([("TK004", "info", "server.py:10")], 0)


BY_CLASS = """
from mcp.server import Server
from definitions import Definitions

server = Server("shop")


@server.list_tools()
async def list_tools():
    return Definitions.every()
"""
DEFINITIONS = """
from mcp.types import Tool


class Definitions:
    @staticmethod
    def find() -> Tool:
        return Tool(name="find_order", description="Finds an order of the shop.", inputSchema={"type": "object"})

    @classmethod
    def every(cls) -> list[Tool]:
        return [cls.find()]
"""


def test_list_of_what_the_methods_of_a_class_return_hides_nothing(write):
    write(server=BY_CLASS, definitions=DEFINITIONS)
    assert findings("--select", "TK004", "--static", ".") == ([], 0)
    write(definitions=DEFINITIONS.replace("cls.find()", "cls.found()"))
    assert findings("--select", "TK004", "--static", ".") == ([("TK004", "warning", "server.py:8")], 0)


MAKERS = """
from langchain_core.tools import StructuredTool, tool


def make(name, function):
    checked = with_errors(function)
    return StructuredTool.from_function(func=checked, name=name)


def marked(*args, **options):
    def mark(function):
        return tool(infer_schema=False, **options)(function)

    return mark(args[0]) if args else mark
"""


def test_function_that_makes_tools_of_its_parameters_hides_none(write):
    write(makers=MAKERS)
    assert findings("--select", "TK004", "--static", "makers.py") == ([], 0)
    write(makers=MAKERS.replace("with_errors(function)", "found_for(name=name)"))
    assert findings("--select", "TK004", "--static", "makers.py") == ([("TK004", "info", "makers.py:7")], 0)


@pytest.mark.parametrize(
    ("imported", "call", "framework"),
    [
        ("from fastmcp import FastMCP", "FastMCP.from_openapi(json.load(open('shop.json')), client)", "FastMCP"),
        ("from fastmcp import FastMCP", "FastMCP.from_fastapi(app)", "FastMCP"),
        ("from fastapi_mcp import FastApiMCP", "FastApiMCP(app)", "FastAPI-MCP"),
    ],
)
def test_server_made_of_routes_has_tools_that_no_source_shows(tmp_path, monkeypatch, imported, call, framework):
    monkeypatch.chdir(tmp_path)
    text = f"import json\n{imported}\nfrom shop import app, client\n\nserver = {call}\n"
    (tmp_path / "server.py").write_text(text, "utf-8")
    shown = f"{call.partition('(')[0]}(…)"
    result = CliRunner().invoke(application(), ["lint", "--no-cache", "--static", "--format", "json", "server.py"])
    assert [(one["message"], one["location"]["line"]) for one in json.loads(result.stdout)] == [
        (f"{framework} may have more tools: the source does not show what '{shown}' registers", 5)
    ]

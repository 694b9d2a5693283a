"""Tools in a project's own registry are found, or lint says where a server takes what the source does not show."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

FIND = '''
def find(order: str) -> str:
    """Find an order in the shop by its number."""
    return order
'''
REGISTRY = """
class Registry:
    def __init__(self):
        self._tools = []

    def register(self, name=None):
        def decorate(function):
            self._tools.append((name, function))
            return function

        return decorate

    def add(self, spec):
        self._tools.append(spec)

    def __iter__(self):
        return iter(self._tools)


tool_registry = Registry()
"""
MARKING = """
from specs import ToolSpec
from registry import Registry, tool_registry


def tool(*, name=None, registry: Registry = tool_registry):
    def decorate(function):
        spec = ToolSpec(name=name or function.__name__, function=function)
        registry.add(spec)
        return function

    return decorate
"""
SPECS = """
from dataclasses import dataclass
from typing import Any


@dataclass
class ToolSpec:
    name: str
    function: Any
"""
BRIDGE = """
from mcp.server.mcpserver.tools.base import Tool
from specs import ToolSpec


def built(spec: ToolSpec):
    def run(**arguments):
        return spec.function(**arguments)

    return Tool.from_function(run, name=spec.name, description=spec.description)
"""
BUILDING = """
from bridge import built
from mcp.server.mcpserver import MCPServer
from registry import tool_registry

server = MCPServer("shop", tools=[built(spec) for spec in tool_registry])
"""
LOOP = """
import orders
from fastmcp import FastMCP
from registry import tool_registry

mcp = FastMCP("shop")
for name, function in tool_registry:
    mcp.tool(name=name)(function)
"""
ATTACH = """
def attach(mcp, registry):
    for one in registry:
        mcp.add_tool(one.function)
"""
WRAPS = """
import functools
import inspect

import orders
from fastmcp import FastMCP

mcp = FastMCP("shop")


def register(module):
    for name, function in inspect.getmembers(module, inspect.isfunction):

        @functools.wraps(function)
        def wrapped(*arguments):
            return function(*arguments)

        mcp.tool(wrapped)


register(orders)
"""
FLAG = """
def exposed_tool(name=None):
    def decorate(function):
        function._tool_name = name
        return function

    return decorate
"""
FLAGGED = '''
from flag import exposed_tool


class Orders:
    @exposed_tool(name="find_order")
    def find(self, order: str) -> str:
        """Find an order in the shop by its number."""
        return order
'''
MEMBERS = """
import inspect

from fastmcp import FastMCP
from orders import Orders

mcp = FastMCP("shop")
for _, method in inspect.getmembers(Orders(), inspect.ismethod):
    if hasattr(method, "_tool_name"):
        mcp.tool(name=method._tool_name)(method)
"""
OWN_CLASSES = """
class ShopTool:
    name: str
    description: str


class FindOrder(ShopTool):
    name = "find_order"
    description = "Find an order in the shop by its number."

    def run(self, order: str) -> str:
        return order


class CancelOrder(ShopTool):
    name = "cancel_order"
    description = "Cancel an order of the shop by its number."

    def run(self, order: str) -> str:
        return order


TABLE = [FindOrder(), CancelOrder()]
"""
TABLE = """
from fastmcp import FastMCP
from orders import TABLE

mcp = FastMCP("shop")
for one in TABLE:
    mcp.tool(name=one.name, description=one.description)(one.run)
"""
LOW_LEVEL = """
from mcp.server.lowlevel import Server
from mcp.types import Tool
from orders import registered

server = Server("shop")


@server.list_tools()
async def list_tools():
    return [Tool(name=one.name, description=one.text, inputSchema=one.schema) for one in registered()]
"""
REGISTERED = f"from registry import tool_registry\n\n\n@tool_registry.register('find_order'){FIND}"
MARKED = f"from marking import tool\n\n\n@tool(name='find_order'){FIND}"
BUILT = {"registry": REGISTRY, "specs": SPECS, "marking": MARKING, "bridge": BRIDGE, "server": BUILDING}


def listed():
    """Return the tools that `list` finds in the source, and the places where it says there may be more."""
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "."])
    tools = [(one["name"], one["framework"], one["path"], one["line"]) for one in json.loads(result.stdout)]
    problems = json.loads(result.stderr)["problems"] if result.stderr else []
    return tools, [_place(one) for one in problems]


def linted(*arguments):
    """Return where `lint` says there may be more tools."""
    found = CliRunner().invoke(application(), ["lint", "--format", "json", "--no-cache", *arguments, "."])
    return [_place(one) for one in json.loads(found.stdout) if one["code"] == "TK004"]


def _place(problem):
    place = problem["location"]
    return place and (place["file"], place["line"], place["column"])


def test_decorator_that_fills_a_registry_is_followed_to_the_server_that_is_built_of_it(write):
    write(**BUILT, orders=MARKED)
    assert listed() == ([("find_order", "mcp_sdk", "orders.py", 5)], [])
    assert linted("--static") == []


def test_server_that_is_built_of_a_registry_without_known_tools_is_named(write):
    write(**BUILT, orders=MARKED.replace("from marking", "from elsewhere").replace("tool", "mark"))
    assert listed() == ([], [("bridge.py", 10, 12)])
    assert linted("--static") == linted() == [("bridge.py", 10, 12)]


def test_method_of_a_registry_is_followed_to_the_loop_that_reads_it(write):
    write(registry=REGISTRY, orders=REGISTERED, server=LOOP)
    assert listed() == ([("find_order", "fastmcp", "orders.py", 5)], [])
    assert linted("--static") == []


def test_registry_that_no_server_reads_has_tools_of_no_known_framework(write):
    write(registry=REGISTRY, orders=REGISTERED, server="from fastmcp import FastMCP\n")
    assert listed() == ([("find_order", "others", "orders.py", 5)], [])


def test_function_that_registers_what_it_finds_in_an_object_is_named(write):
    write(registry=REGISTRY, attach=ATTACH, server="from fastmcp import FastMCP\n")
    assert listed() == ([], [("attach.py", 4, 9)])
    assert linted("--static") == linted() == [("attach.py", 4, 9)]


def test_function_that_registers_what_the_framework_has_marked_is_not_named(write):
    marked = ATTACH.replace("        mcp.add", '        if hasattr(one.function, "__fastmcp__"):\n            mcp.add')
    write(registry=REGISTRY, attach=marked, server="from fastmcp import FastMCP\n")
    assert listed() == ([], [None])


def test_wrappers_of_the_members_of_a_module_are_named(write):
    write(orders=FIND, server=WRAPS)
    assert listed() == ([], [("server.py", 18, 9)])
    assert linted("--static") == [("server.py", 18, 9)]


def test_decorator_that_marks_methods_for_a_server_is_followed(write):
    write(flag=FLAG, orders=FLAGGED, server=MEMBERS)
    assert listed() == ([("find_order", "fastmcp", "orders.py", 7)], [])
    assert linted("--static") == []


TOOLSET = """
from pydantic_ai.toolsets import FunctionToolset

MARKER = "__shop_tool__"
NAMED = "__shop_tool_name__"


def tool(function=None, *, name=None):
    def mark(marked):
        setattr(marked, MARKER, True)
        setattr(marked, NAMED, name)
        return marked

    return mark if function is None else mark(function)


class ShopToolset(FunctionToolset):
    def __init__(self):
        super().__init__()
        for key in dir(type(self)):
            method = getattr(type(self), key)
            if getattr(method, MARKER, False):
                self.add_function(getattr(self, key), name=getattr(method, NAMED) or key)
"""
OF_TOOLSET = """
from toolset import ShopToolset, tool


class Orders(ShopToolset):
    @tool
    def find(self, order: str) -> str:
        return order

    @tool(name="pay_order")
    def pay(self, order: str) -> str:
        return order
"""


def test_decorator_that_marks_methods_for_a_base_class_in_its_file_is_followed(write):
    write(toolset=TOOLSET, orders=OF_TOOLSET)
    found, _ = listed()
    assert found == [("find", "pydantic_ai", "orders.py", 7), ("pay_order", "pydantic_ai", "orders.py", 11)]


def test_decorator_that_marks_methods_which_nothing_reads_has_no_tools(write):
    write(toolset=TOOLSET.partition("        for key")[0], orders=OF_TOOLSET)
    assert listed()[0] == []


def test_table_of_objects_in_another_file_is_a_tool_for_each(write):
    write(orders=OWN_CLASSES, server=TABLE)
    assert listed() == (
        [("find_order", "fastmcp", "server.py", 7), ("cancel_order", "fastmcp", "server.py", 7)],
        [],
    )


def test_low_level_server_that_lists_what_it_is_given_is_named(write):
    write(orders="from other import registered\n", server=LOW_LEVEL)
    assert listed() == ([], [("server.py", 9, 2)])
    assert linted("--static") == [("server.py", 9, 2)]


def test_functions_that_a_function_of_another_file_lists_are_tools(write):
    listing = "from orders import find\n\n\ndef all_tools():\n    tools = [find]\n    return tools\n"
    loop = LOOP.replace("import orders", "import listing").replace(
        "name, function in tool_registry", "one in listing.all_tools()"
    )
    write(
        orders=FIND, listing=listing, registry=REGISTRY, server=loop.replace("tool(name=name)(function)", "tool(one)")
    )
    assert listed() == ([("find", "fastmcp", "server.py", 8)], [])


DEFINITIONS = """
from mcp.types import Tool
from specs import ToolSpec

SPECS = [ToolSpec("find_order", find) for find in ()]


def made(spec):
    return Tool(name=spec.name, description=spec.text, inputSchema={})


def definitions():
    return [made(one) for one in SPECS]
"""
LISTED = """
from definitions import definitions
from mcp.server import Server

server = Server("shop")


@server.list_tools()
async def listing():
    return definitions()
"""


def test_listing_of_definitions_that_no_source_shows_is_named(write):
    write(specs=SPECS, definitions=DEFINITIONS, server=LISTED)
    assert listed() == ([], [("server.py", 8, 2)])


@pytest.mark.parametrize("shown", ["[TOOL]", "[made(1), TOOL]"])
def test_listing_of_definitions_in_another_file_is_shown(write, shown):
    definition = "TOOL = Tool(name='find_order', description='Find an order by its number.', inputSchema={})\n"
    write(definitions=f"{DEFINITIONS.partition('SPECS =')[0]}{definition}definitions = lambda: {shown}\n")
    write(server=LISTED, specs=SPECS)
    assert listed() == ([("find_order", "mcp_sdk", "definitions.py", 5)], [])


def test_listing_of_a_variable_of_the_function_around_it_is_shown(write):
    definition = "[Tool(name='find_order', description='Find an order by its number.', inputSchema={})]"
    body = f"    tools = {definition}\n\n    @server.list_tools()\n    async def listing():\n        return tools\n"
    imports = "from mcp.server import Server\nfrom mcp.types import Tool\n\n\n"
    write(server=f"{imports}def serve():\n    server = Server('shop')\n{body}")
    assert listed() == ([("find_order", "mcp_sdk", "server.py", 7)], [])


DELETE = '''
from marking import tool


@tool(name="delete_order"{more})
def delete(arguments: dict) -> str:
    """Delete an order of the shop, which cannot be undone."""
    return SHOP.delete(arguments)
'''


@pytest.mark.parametrize(("more", "codes"), [("", ["TK506"]), (", action='DELETE'", [])])
def test_decorator_of_a_project_may_declare_effects_in_its_own_words(write, more, codes):
    write(**BUILT, orders=DELETE.replace("{more}", more))
    arguments = ["lint", "--static", "--profile", "all", "--format", "json", "--no-cache", "."]
    found = CliRunner().invoke(application(), arguments)
    assert [one["code"] for one in json.loads(found.stdout) if one["code"] in {"TK401", "TK506"}] == codes


def test_new_server_of_a_registry_is_seen_beside_cached_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()
    Path("registry.py").write_text(REGISTRY, "utf-8")
    Path("shop.py").write_text(f"from registry import tool_registry\n\n\n@tool_registry.register(){FIND}", "utf-8")
    lint = ["lint", "--static", "."]
    assert "(1 tool in 1 file: 1 other framework;" in CliRunner().invoke(application(), lint).output
    Path("server.py").write_text("from fastmcp import FastMCP\nfrom registry import tool_registry\n", "utf-8")
    assert "(1 tool in 1 file: 1 FastMCP;" in CliRunner().invoke(application(), lint).output
    Path("server.py").write_text("", "utf-8")
    assert "(1 tool in 1 file: 1 other framework;" in CliRunner().invoke(application(), lint).output


KEPT = """
from langchain_core.tools import tool
from pydantic import BaseModel, Field
from registry import tool_registry


class Search(BaseModel):
    place: str = Field(description="Where the order was made, as a city.")
    status: str = Field(description="One word, as the warehouse writes it.")


@tool_registry.register("orders")
@tool(args_schema=Search)
def find_orders(place: str, _status: str) -> str:
    \"\"\"Find the orders of a place that have a status.\"\"\"
    return place + _status
"""


def test_tool_of_a_framework_that_a_registry_keeps_as_well_is_one_tool(write):
    write(registry=REGISTRY, orders=KEPT, server=LOOP)
    assert listed() == ([("find_orders", "langchain", "orders.py", 14)], [])
    assert (
        CliRunner()
        .invoke(application(), ["lint", "--static", "--no-cache", "--profile", "all", "--format", "json", "orders.py"])
        .stdout
        == "[]\n"
    )


SENDING = """
def tool(name, description, parameters):
    def decorate(function):
        return FunctionTool(name, description, parameters, function)

    return decorate


class FunctionTool:
    def __init__(self, name, description, parameters, function):
        self.name = name
        self.description = description
        self.parameters = parameters
        self.function = function

    def request(self):
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    def execute(self, session, **given):
        return self.function(session=session, **given)
"""
SENT = """
from sending import tool

ORDER = {"type": "object", "properties": {"order": {"type": "string"}, "reply_to": {"type": "string"}}}


@tool("find", "Find an order of the shop by its number.", parameters=ORDER)
def find(order: str, reply_to: str, session: "Session") -> str:
    return shop.find(order)
"""


def test_parameter_that_the_projects_own_schema_lacks_is_none_of_the_models(write):
    write(sending=SENDING, shop_tools=SENT)
    command = ["lint", ".", "--static", "--no-cache", "--select", "TK401", "--format", "json"]
    found = json.loads(CliRunner().invoke(application(), command).stdout)
    assert [one["message"] for one in found] == ["'find' never reads its parameter 'reply_to'"]

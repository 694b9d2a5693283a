"""Tools that a function of the project makes are found where it is called, with the names that the calls give."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

HEAD = '''
from fastmcp import FastMCP
from langchain_core.tools import StructuredTool
from mcp.types import Tool

server = FastMCP("shop")


def find(order: str) -> str:
    """Find an order by its number.

    Args:
        order: Its number.
    """
    return order


'''
MAKE = """
def make(name, function):
    return StructuredTool.from_function(function, name=name)
"""
CALLS = """
tools = [make("find_order", find), make(function=find, name="find_again")]
"""
INNER = """
def make(name):
    @server.tool(name=name)
    def inner(order: str) -> str:
        return order

    return inner


make("first")
make("second")
"""
REGISTER = """
def register(function):
    server.tool()(function)


register(find)
"""
DECLARE = """
def declare(name, text):
    return Tool(name=name, description=text, inputSchema={"type": "object"})


tools = [declare("find_order", "Find an order by its number.")]
"""
METHOD = """
class Shop:
    def _add(self, name, function):
        server.add_tool(function, name=name)

    def set_up(self):
        self._add("find_order", find)
"""
RETURNED = """
import functools


def audited(name, **options):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments, **named):
            return function(*arguments, **named)

        server.tool(name=name, **options)(wrapper)
        return wrapper

    return decorate


audited("find_order", tags={"shop"})(find)
"""
UNKNOWN = """
def make(name):
    return StructuredTool.from_function(find, name=name)


tool = make(input())
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command with a file and JSON as its output."""
    monkeypatch.chdir(tmp_path)

    def run(text, *command):
        Path("tools.py").write_text(text, "utf-8")
        return json.loads(CliRunner().invoke(application(), [*command, "--format", "json", "tools.py"]).stdout)

    return run


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (MAKE + CALLS, ["find_order", "find_again"]),
        (INNER, ["first", "second"]),
        (REGISTER, ["find"]),
        (DECLARE, ["find_order"]),
        (METHOD, ["find_order"]),
        (RETURNED, ["find_order"]),
        (UNKNOWN, [None]),
    ],
)
def test_tools_of_a_factory_have_the_names_that_its_calls_give(text, names, run):
    assert [one["name"] for one in run(HEAD + text, "list", "--static")] == names


@pytest.mark.parametrize("registers", ["server.add_tool(function, name=NAME)", "server.tool(name=NAME)(function)"])
@pytest.mark.parametrize(("passed", "given"), [("name", '"find_order"'), ("name.value", "Names.FIND")])
def test_decorator_that_a_function_makes_registers_what_it_decorates(registers, passed, given, run):
    text = f"""
from enum import StrEnum


class Names(StrEnum):
    FIND = "find_order"


def set_up(enabled):
    def register(name):
        def decorate(function):
            if name in enabled:
                {registers.replace("NAME", passed)}
            return function

        return decorate

    @register({given})
    def inner(order: str) -> str:
        return order
"""
    assert [one["name"] for one in run(HEAD + text, "list", "--static")] == ["find_order"]


def test_factory_in_another_file_makes_tools_where_it_is_called(run):
    Path("making.py").write_text(HEAD + MAKE, "utf-8")
    found = run(f"import fastmcp\nfrom making import find, make\n{CALLS}", "list", "--static")
    assert [(one["path"], one["name"]) for one in found] == [("tools.py", "find_order"), ("tools.py", "find_again")]


def test_texts_that_a_factory_receives_are_those_of_the_tool(run):
    found = run(HEAD + DECLARE.replace("an order by its number", "orders"), "lint", "--static", "--profile", "all")
    assert [one["message"] for one in found] == ["the description of 'find_order' only repeats its name"]


def test_mistake_in_the_function_of_a_factory_is_reported_once(run):
    found = run(HEAD + INNER, "lint", "--static", "--profile", "all", "--select", "TK204")
    assert [one["message"] for one in found] == ["parameter 'order' of 'first' has no description"]

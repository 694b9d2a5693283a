"""Functions that wrappers of the project copy are the tools, wherever a wrapped function is registered."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit.source_code.meanings import Meanings  # private
from toolkit.source_code.tool_reader import ToolReader  # private
from toolkit_cli.main import application

WRAPPERS = """
from functools import wraps

from fastmcp.tools import Tool


def logged(function):
    @wraps(function)
    async def inner(*args, **options):
        return await function(*args, **options)

    return inner


def allowed(permission):
    def decorator(function, settings=None):
        @wraps(function)
        def inner(*args, **options):
            return function(*args, **options)

        return inner

    return decorator


def timed(function=None, settings=None):
    def decorator(one):
        @wraps(one)
        def inner(*args, **options):
            return one(*args, **options)

        return inner

    if function is not None:
        return decorator(function)
    return decorator


def as_tool(function):
    @wraps(function)
    def inner(*args):
        return function(*args)

    return Tool.from_function(inner, name="look_up", description="Look up an order.")


def retried(function):
    @wraps(function)
    def inner(*args):
        return function(*args)

    return inner()


def renamed(function):
    def inner(everything):
        return function(everything)

    return inner
"""
SHOP = '''
def find(order: str, hidden) -> str:
    """Find an order by its number."""
    return order


def pay(order: str) -> str:
    """Pay an order by its number."""
    return order


PLAIN = [find, pay]
ALLOWED = [("read", find), ("write", pay)]
'''
SERVER = """
from mcp.server.fastmcp import FastMCP
from langchain.agents import create_agent

from shop import ALLOWED, PLAIN, find, pay
from wrappers import allowed, as_tool, logged, renamed, retried, timed

server = FastMCP("shop")


"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write a server; a function runs a command in its folder."""
    monkeypatch.chdir(tmp_path)
    Path("wrappers.py").write_text(WRAPPERS, "utf-8")
    Path("shop.py").write_text(SHOP, "utf-8")

    def run(text, *command):
        Path("server.py").write_text(SERVER + text, "utf-8")
        return CliRunner().invoke(application(), [*command, "--static", "--format", "json", "server.py"])

    return run


@pytest.mark.parametrize(
    "text",
    [
        "server.tool()(logged(find))\nserver.add_tool(allowed('write')(pay))\n",
        "server.tool()(timed(find))\nserver.tool()(logged(timed(pay, {'level': 1})))\n",
        "agent = create_agent('model', tools=[logged(find), allowed('write')(pay)])\n",
        "found = logged(find)\npaid = timed(logged(pay))\nserver.add_tool(found)\nserver.add_tool(paid)\n",
        "for one in PLAIN:\n    server.tool(name=one.__name__)(logged(timed(one)))\n",
        (
            "def register(server: FastMCP):\n    for one in PLAIN:\n        name = one.__name__\n"
            "        wrapped = logged(timed(one, {}))\n        server.tool(name=name)(wrapped)\n"
        ),
        (
            "def register(server: FastMCP):\n    for one in [find]:\n        wrapped = logged(one)\n"
            "        server.tool(name=one.__name__)(wrapped)\n    for permission, one in ALLOWED[1:]:\n"
            "        pass\n    for permission, one in [('write', pay)]:\n"
            "        wrapped = logged(allowed(permission)(timed(one), {}))\n"
            "        server.tool(name=one.__name__)(wrapped)\n"
        ),
        "for permission, one in ALLOWED:\n    server.add_tool(allowed(permission)(one))\n",
    ],
)
def test_wrapped_function_is_the_tool(text, project):
    assert [one["name"] for one in json.loads(project(text, "list").stdout)] == ["find", "pay"]


def test_parameters_of_the_wrapped_function_are_those_of_the_tool(project):
    found = json.loads(project("server.tool()(logged(find))\n", "lint", "--select", "TK204").stdout)
    assert [one["message"] for one in found] == [
        f"parameter '{name}' of 'find' has no description" for name in ("order", "hidden")
    ]


def test_function_that_copies_nothing_is_no_wrapper(project):
    listed = project("server.tool()(renamed(find))\n", "list")
    assert [one["name"] for one in json.loads(listed.stdout)] == [None]
    assert "does not show what 'server.tool()(…)' registers" in listed.stderr


def test_function_that_does_not_return_its_copy_is_no_wrapper(project):
    listed = project("agent = create_agent('model', tools=[as_tool(find), retried(pay)])\n", "list")
    assert {one["name"] for one in json.loads(listed.stdout or "[]")}.isdisjoint({"find", "pay"})


def test_name_of_something_else_is_not_that_of_the_function(project):
    text = "label = type(find).__name__\nserver.add_tool(find, name=label)\n"
    assert [one["name"] for one in json.loads(project(text, "list").stdout)] == [None]


def test_each_link_of_a_chain_of_calls_adds_as_much_work_as_the_one_before(tmp_path, monkeypatch):
    read = Meanings.of
    asked = 0

    def of(*arguments):
        nonlocal asked
        asked += 1
        return read(*arguments)

    monkeypatch.setattr(Meanings, "of", of)
    counts = []
    for links in (10, 12):
        file = tmp_path / f"chain_{links}.py"
        file.write_text("import strange\n\n" + "strange.table(0)" + ".where(1)" * links + "\n", "utf-8")
        asked = 0
        ToolReader().tools_of(str(file))
        counts.append(asked)
    assert counts[1] < 2 * counts[0]

"""Tools that a loop registers are found one turn at a time, with the functions and the names of a table."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SHOP = '''
def find(order: str) -> str:
    """Find an order by its number."""
    return order


def pay(order: str) -> str:
    """Pay an order by its number."""
    return order


def send(order: str) -> str:
    """Send an order by its number."""
    return order
'''
SERVER = """
from dataclasses import dataclass

from mcp.server.fastmcp import FastMCP

import shop
from shop import find, pay, send

server = FastMCP("shop")


@dataclass
class Spec:
    run: object
    name: str


class Made:
    def __init__(self, name, run):
        self.name = name
        self.run = run


"""


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Write a server, and return the lines and names of its tools."""
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SHOP, "utf-8")

    def listed(text):
        Path("server.py").write_text(SERVER + text, "utf-8")
        result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "server.py"])
        above = SERVER.count("\n")
        return [f"{one['line'] - above} {one['name']}" for one in json.loads(result.stdout)]

    return listed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for one in ['find', 'pay']:\n    server.add_tool(getattr(shop, one))\n", ["2 find", "2 pay"]),
        (
            (
                "for one in ['find', 'lost']:\n    if hasattr(shop, one):\n"
                "        run = getattr(shop, one)\n        server.add_tool(run)\n"
            ),
            ["4 find"],
        ),
        ("_TOOLS = [find, pay]\nfor run in _TOOLS:\n    server.tool()(run)\n", ["3 find", "3 pay"]),
        (
            (
                "_TOOLS = {'find_order': find}\n_TOOLS['pay_order'] = pay\n"
                "for name, run in _TOOLS.items():\n    server.add_tool(run, name=name)\n"
            ),
            ["4 find_order", "4 pay_order"],
        ),
        ("_TOOLS = {'any': find}\nfor run in _TOOLS.values():\n    server.add_tool(run)\n", ["3 find"]),
        (
            (
                "_TOOLS = [(find, 'Find an order.'), (pay, 'Pay an order.')]\n"
                "for run, text in _TOOLS:\n    server.add_tool(run, description=text)\n"
            ),
            ["3 find", "3 pay"],
        ),
        (
            (
                "_TOOLS = [{'run': find, 'name': 'find_order'}, {'run': pay, 'name': 'pay_order'}]\n"
                "for row in _TOOLS:\n    server.add_tool(row['run'], name=row['name'])\n"
            ),
            ["3 find_order", "3 pay_order"],
        ),
        (
            (
                "_TOOLS = (Spec(run=find, name='find_order'), Spec(run=pay, name='pay_order'))\n"
                "for one in _TOOLS:\n    server.tool(name=one.name)(one.run)\n"
            ),
            ["3 find_order", "3 pay_order"],
        ),
        (
            (
                "_TOOLS = (Spec(find, 'find_order'), Spec(pay, name='pay_order'))\n"
                "for one in _TOOLS:\n    server.tool(name=one.name)(one.run)\n"
            ),
            ["3 find_order", "3 pay_order"],
        ),
        (
            "_TOOLS = [Made('find_order', find)]\nfor one in _TOOLS:\n    server.add_tool(one.run, name=one.name)\n",
            ["3 find_order"],
        ),
        ("for at, run in enumerate([find]):\n    server.add_tool(run)\n", ["2 find"]),
        (
            "for one in sorted({'find'}):\n    server.add_tool(getattr(shop, one), name=f'shop_{one}')\n",
            ["2 shop_find"],
        ),
        ("[server.add_tool(run) for run in (find, pay)]\n", ["1 find", "1 pay"]),
    ],
)
def test_each_turn_of_a_loop_registers_a_tool(text, found, listed):
    assert listed(text) == found
    inner = "".join(f"    {line}\n" for line in text.splitlines())
    assert listed(f"def set_up():\n{inner}") == [f"{int(one.split()[0]) + 1} {one.split()[1]}" for one in found]


def test_loops_with_the_same_variable_register_only_their_own_tools(listed):
    text = "for run in [find]:\n    server.add_tool(run)\nfor run in [pay]:\n    server.add_tool(run)\n"
    assert listed(text + "[server.add_tool(run) for run in [send]]\n") == ["2 find", "4 pay", "5 send"]


def test_table_of_another_file_shows_the_tools(listed):
    Path("tables.py").write_text(
        "from shop import find, pay\n\n_TOOLS = (find,)\n_NAMED = {'pay_order': pay}\n", "utf-8"
    )
    text = "import tables\nfrom tables import _TOOLS\n\n\ndef set_up(server):\n    for run in _TOOLS:\n"
    text += "        server.add_tool(run)\n    for name, run in tables._NAMED.items():\n        server.add_tool(run, name)\n"
    assert listed(text) == ["7 find", "9 pay_order"]


def test_table_of_objects_of_a_class_in_another_file_shows_the_tools(listed):
    Path("tables.py").write_text(
        "from typing import NamedTuple\n\n\nclass Row(NamedTuple):\n    name: str\n    run: object\n", "utf-8"
    )
    text = "from tables import Row\n\nfor one in (Row('find_order', find), Row(name='pay_order', run=pay)):\n"
    assert listed(text + "    server.add_tool(one.run, one.name)\n") == ["4 find_order", "4 pay_order"]


def test_name_that_only_running_shows_stays_unknown(listed):
    assert listed("for run in [find]:\n    server.add_tool(run, name=input())\n") == ["2 None"]


def test_method_that_getattr_takes_by_name_registers_a_tool(listed):
    text = "add = getattr(server, 'add_tool', None)\nif add is not None:\n    add(getattr(shop, 'find'))\n"
    assert listed(text) == ["3 find"]


def test_definitions_of_a_loop_over_a_table_of_another_file_have_the_names_of_its_keys(listed):
    Path("tables.py").write_text(
        "REGISTRY = {'find': {'about': 'Find it.', 'takes': ['order']}, 'pay': {'about': 'Pay it.', 'takes': []}}\n",
        "utf-8",
    )
    text = "from mcp.types import Tool\nfrom tables import REGISTRY\n\n\ndef tools():\n    found = []\n"
    text += "    for name, one in REGISTRY.items():\n        schema = {'type': 'object', 'properties': make(one['takes'])}\n"
    assert listed(text + "        found.append(Tool(name=name, description=one['about'], inputSchema=schema))\n") == [
        "9 find",
        "9 pay",
    ]


def test_definitions_of_a_loop_over_objects_have_the_names_that_their_classes_set(listed):
    Path("kinds.py").write_text(
        "class Kind:\n    text = ''\n\n\nclass Find(Kind):\n    name = 'find'\n\n\nclass Pay(Find):\n    name = 'pay'\n\n\n"
        "TOOLS = [Find(), Pay(), Find(name='find_again')]\n",
        "utf-8",
    )
    text = "from mcp.types import Tool\nfrom kinds import TOOLS\n\n\n@server.list_tools()\ndef tools():\n"
    assert listed(text + "    return [Tool(name=one.name, inputSchema=one.schema()) for one in TOOLS]\n") == [
        "7 find",
        "7 pay",
        "7 find_again",
    ]


def test_loop_over_tools_makes_tools_of_the_other_functions_only(listed):
    text = "@server.tool()\ndef stock(order: str) -> str:\n    return order\n\n\n"
    assert listed(f"{text}for one in (stock, find):\n    server.add_tool(one)\n") == ["2 stock", "7 find"]

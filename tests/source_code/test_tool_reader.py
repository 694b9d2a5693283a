"""Written tools: every way in which other frameworks register tools is found in the source, with nothing installed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

CASES = Path(__file__).parent / "cases"


def listed(*targets):
    """What `list --static` says of some files, a line for each tool."""
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", *map(str, targets)])
    return [
        f"{one['line']} {one['name']} {one['framework']} {one['kind']}"
        for one in (json.loads(result.stdout) if result.stdout else [])
    ]


@pytest.mark.parametrize("name", sorted(path.stem for path in CASES.glob("*.py")))
def test_each_tool_of_a_framework_is_found_where_it_stands(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert listed(CASES / f"{name}.py") == (CASES / f"{name}.txt").read_text("utf-8").splitlines()


SERVER = """
from fastmcp import FastMCP

mcp = FastMCP("shop")
NAMES_PREFIX = "shop_"


class Names:
    LOOK_UP = "look_up"


META: dict = {"find": {"name": "find_order", "made": object()}}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from shop.runtime import *\n\n\n@mcp.tool\ndef find(): ...\n", "5 find fastmcp decorator"),
        ("from .runtime import mcp as server\n\n\n@server.tool()\ndef find(): ...\n", "5 find fastmcp decorator"),
        (
            "from .runtime import mcp, NAMES_PREFIX\n\n\n@mcp.tool(name=NAMES_PREFIX + 'find')\ndef find(): ...\n",
            "5 shop_find fastmcp decorator",
        ),
        (
            "from .runtime import mcp, Names\n\n\n@mcp.tool(name=Names.LOOK_UP)\ndef find(): ...\n",
            "5 look_up fastmcp decorator",
        ),
        (
            "from .runtime import mcp, META\n\n\n@mcp.tool(name=META['find']['name'])\ndef find(): ...\n",
            "5 find_order fastmcp decorator",
        ),
        ("from shop import runtime\n\n\n@runtime.mcp.tool\ndef find(): ...\n", "5 find fastmcp decorator"),
    ],
)
def test_servers_and_names_are_followed_into_other_files(source, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").write_text("", "utf-8")
    (tmp_path / "shop/runtime.py").write_text(SERVER, "utf-8")
    (tmp_path / "shop/tools.py").write_text(source, "utf-8")
    assert listed("shop/tools.py") == [expected]


def test_file_that_cannot_be_parsed_is_reported_and_hides_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "newer.py").write_text("import fastmcp\n\ndef (:\n", "utf-8")
    (tmp_path / "older.py").write_text("from strands import tool\n\n\n@tool\ndef find(): ...\n", "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "."])
    assert result.stdout == ("NAME  FRAMEWORK  KIND       PLACE\nfind  Strands    decorator  older.py:5\n")
    assert "'newer.py' cannot be read: SyntaxError: invalid syntax" in result.stderr
    assert "newer.py:3:5" in result.stderr


def test_source_without_tools_is_never_passed_over_in_silence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.py").write_text("def find(): ...\n", "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "plain.py"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no tools found in the source of 'plain.py'" in result.stderr


OWN = """
from fastmcp import FastMCP


class Shop:
    PREFIX = "shop"

    def __init__(self, mcp: FastMCP, place):
        self.mcp = mcp
        self.kind = "orders"
        self.place = place

    def register(self):
        @self.mcp.tool(name=f"{self.PREFIX}_{self.kind}")
        def find(): ...

        @self.mcp.tool(name=f"{self.place}_find")
        def find_there(): ...
"""


def test_names_with_attributes_of_their_class_are_known_unless_a_subclass_may_have_others(tmp_path):
    (tmp_path / "shop.py").write_text(OWN, "utf-8")
    names = ["15 shop_orders fastmcp decorator", "18 None fastmcp decorator"]
    assert listed(tmp_path / "shop.py") == names
    (tmp_path / "shop.py").write_text(f"{OWN}\n\nclass Books(Shop):\n    PREFIX = 'books'\n", "utf-8")
    assert listed(tmp_path / "shop.py") == [names[0].replace("shop_orders", "None"), names[1]]


def test_app_for_people_only_has_no_tools_and_suggests_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = (CASES / "gradio_app.py").read_text("utf-8").replace("mcp_server=True", "")
    Path("app.py").write_text(app, "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "."])
    assert (result.stdout, "Gradio" in result.stderr) == ("", False)
    Path("other.py").write_text("import gradio\n\ngradio.Interface(print).launch(mcp_server=True)\n", "utf-8")
    assert listed("app.py") == []
    Path("main.py").write_text("import app\n\napp.app.launch(mcp_server=True)\n", "utf-8")
    assert listed("app.py") == (CASES / "gradio_app.txt").read_text("utf-8").splitlines()


def test_plain_functions_of_a_deep_agent_are_tools(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("shop").mkdir()
    Path("shop", "__init__.py").write_text("from .orders import find, pay\n", "utf-8")
    orders = "def find(order: str) -> str:\n    return order\n\n\ndef pay(order: str) -> str:\n    return order\n"
    Path("shop", "orders.py").write_text(orders, "utf-8")
    agent = "from deepagents import create_deep_agent\nfrom shop import find, pay\n\n\n"
    agent += "def make():\n    return create_deep_agent(model=None, tools=[find, pay])\n"
    Path("agent.py").write_text(agent, "utf-8")
    assert listed("agent.py") == ["6 find langchain tools=", "6 pay langchain tools="]

"""Classes that are tools by their attributes alone, in projects that do not use this package."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

TOOL = """
from base import ShopTool


class FindOrder(ShopTool):
    name = "find_order"
    description = "Finds an order of the shop by its number."
    input_schema = {"type": "object", "properties": {"number": {"type": "string", "description": "The number."}}}

    def execute(self, number: str, **kwargs) -> dict:
        try:
            return {"success": True, "order": load(number)}
        except Exception as error:
            return {"success": False, "error": str(error)}


class CheckOrder(ShopTool):
    name = "check_order"
    description = "Checks whether an order of the shop is complete."

    def execute(self, number: str, **kwargs) -> dict:
        try:
            return {"success": True, "order": load(number)}
        except Exception as error:
            return {"success": True, "order": "", "error": str(error)}
"""
BASE = """
from abc import ABC, abstractmethod
from mcp.types import Tool


class ShopTool(ABC):
    @abstractmethod
    def execute(self, **kwargs) -> dict: ...

    def shown(self) -> Tool:
        return Tool(name=self.name, description=self.description, inputSchema=self.input_schema)
"""
SERVER = """
from mcp.server import Server
from orders import CheckOrder, FindOrder

server = Server("shop")


class Shop:
    def __init__(self):
        self.tools = {}
        self.register(FindOrder())
        self.register(CheckOrder())

    def register(self, tool):
        self.tools[tool.name] = tool

    def listed(self):
        return [tool.shown() for tool in self.tools.values()]


shop = Shop()


@server.list_tools()
async def list_tools():
    return shop.listed()
"""


@pytest.fixture
def lint(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.py").write_text(TOOL, "utf-8")
    (tmp_path / "base.py").write_text(BASE, "utf-8")
    (tmp_path / "server.py").write_text(SERVER, "utf-8")

    def run(*options):
        command = ["lint", "--static", "--no-cache", "--format", "json", *options]
        found = json.loads(CliRunner().invoke(application(), command).stdout)
        return [f"{one['location']['file']}:{one['location']['line']} {one['code']} {one['severity']}" for one in found]

    return run


def test_essential_profile_is_the_default(lint):
    assert lint(".") == []
    assert lint("--select", "TK408", ".") == ["orders.py:14 TK408 info", "orders.py:25 TK408 warning"]


def test_file_that_uses_this_package_is_checked_with_all_rules(lint, tmp_path):
    (tmp_path / "orders.py").write_text(TOOL.replace("from base", "import toolkit\nfrom base"), "utf-8")
    assert lint("--select", "TK408", ".") == ["orders.py:15 TK408 warning", "orders.py:26 TK408 warning"]


def test_signature_of_a_method_that_takes_the_whole_call_is_not_that_of_the_tool(lint):
    assert lint("--select", "TK321", ".") == []


def test_server_that_lists_such_classes_hides_no_tools(lint, tmp_path):
    assert lint("--select", "TK004", ".") == []
    (tmp_path / "orders.py").write_text("class FindOrder: ...\nclass CheckOrder: ...\n", "utf-8")
    assert lint("--select", "TK004", ".") == ["server.py:24 TK004 warning"]


def test_classes_that_replace_each_other_in_a_registry_may_share_a_name(lint, tmp_path):
    (tmp_path / "stores.py").write_text(TOOL, "utf-8")
    assert lint("--select", "TK103", ".") == []
    for file in ("orders.py", "stores.py"):
        (tmp_path / file).write_text(TOOL.replace("from base", "import toolkit\nfrom base"), "utf-8")
    assert [one.partition(":")[0] for one in lint("--select", "TK103", ".")] == ["stores.py", "stores.py"]


COMMANDS = """
import anthropic


class Plan(Action):
    name = "plan"
    description = "Make a plan of an order."

    async def execute(self, context):
        yield context


class Settings(ShopCommand):
    name = "settings"
    description = "Show the settings of the shop."

    def execute(self, context):
        return context


class StopCommand:
    name = "stop"
    description = "Stop the shop."

    def execute(self, context):
        return context


class Count(Action):
    name = "count"
    description = "Count the orders of the shop."

    def execute(self, context):
        return context
"""


def test_commands_for_people_are_no_tools(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def names(text):
        (tmp_path / "commands.py").write_text(text, "utf-8")
        command = ["list", "--static", "--format", "json", "commands.py"]
        return [one["name"] for one in json.loads(CliRunner().invoke(application(), command).stdout)]

    assert names(COMMANDS) == ["count"]
    assert names(COMMANDS.replace("import anthropic", "import toolkit")) == ["plan", "settings", "stop", "count"]

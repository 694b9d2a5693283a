"""Functions are tools if a function or a class of the project passes the list that has them on to an agent."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

TEAM = """
from google.adk.agents import Agent


def make(name, tools):
    return Agent(name=name, tools=tools)


def make_clerk(tools=None):
    return make("clerk", tools=tools or [])


class Runner:
    def __init__(self, name, tools=None):
        self.name = name
        self.tools = tools or []
        self.agent = self.create()

    def create(self):
        return Agent(name=self.name, tools=[*self.tools])


class Direct:
    def __init__(self, *, tools):
        self.agent = Agent(name="direct", tools=tools + [])


class Inherited(Runner):
    pass


class Keeper:
    def __init__(self, tools):
        self.tools = tools
"""
FIND = '''
from team import *


def find(order: str) -> str:
    """Find an order by its number."""
    return order


'''


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("make('clerk', [find])\n", ["find"]),
        ("make_clerk(tools=[find])\n", ["find"]),
        ("from typing import Any, cast\n\nmake_clerk(tools=[cast(Any, find)])\n", ["find"]),
        ("Runner('clerk', [find])\n", ["find"]),
        ("Direct(tools=[find])\n", ["find"]),
        ("Inherited('clerk', tools=[find])\n", ["find"]),
        (
            "class Clerk(Runner):\n    def __init__(self):\n        super().__init__('clerk', tools=[find])\n",
            ["find"],
        ),
        ("Keeper([find])\n", []),
        ("make([find], None)\n", []),
    ],
)
def test_list_that_is_passed_on_to_an_agent_has_tools(text, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("team.py").write_text(TEAM, "utf-8")
    Path("clerk.py").write_text(FIND + text, "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "clerk.py"])
    assert [one["name"] for one in json.loads(result.stdout or "[]")] == names


LOOPS = """
from fastmcp import FastMCP


def register(server: FastMCP, tools):
    for tool in tools:
        server.add_tool(tool)


class Server:
    def __init__(self, *, tools=()):
        self.server = FastMCP("shop")
        for one in tools or []:
            self.server.add_tool(one)
"""


@pytest.mark.parametrize("call", ["register(FastMCP('shop'), [find])", "Server(tools=[find])"])
def test_loop_may_register_each_element_of_a_list_that_is_passed_on(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("team.py").write_text(LOOPS, "utf-8")
    Path("clerk.py").write_text(f"{FIND}{call}\n", "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "clerk.py"])
    assert [one["name"] for one in json.loads(result.stdout)] == ["find"]


PROPERTIES = '''
from google.adk.agents import Agent


def find(order: str) -> str:
    """Find an order by its number."""
    return order


class Held:
    def __init__(self):
        self._tools = []

    @property
    def tools(self) -> list:
        return self._tools


class Desk:
    def __init__(self):
        self.held = Held()

    @property
    def own(self):
        return [find]

    def agents(self):
        return Agent(name="first", tools=self.own + self.held.tools)
'''


def test_property_is_the_list_that_it_returns_and_not_a_tool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("desk.py").write_text(PROPERTIES, "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "desk.py"])
    assert [one["name"] for one in json.loads(result.stdout)] == ["find"]


OVERRIDING = """class Clerk:
    def tools(self):
        return []

    def make(self):
        options = {'name': 'clerk'}
        options['tools'] = self.tools()
        return Agent(**options)


class Finder(Clerk):
    def tools(self):
        return [find]
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("options = {'name': 'clerk', 'tools': [find]}\nAgent(**options)\n", ["find"]),
        ("options = {}\noptions['tools'] = [find]\nAgent(**options)\n", ["find"]),
        ("def make():\n    options = {}\n    options['tools'] = [find]\n    return Agent(**options)\n", ["find"]),
        (
            OVERRIDING,
            ["find"],
        ),
        ("options = {'names': [find]}\nAgent(**options)\n", []),
        ("others = {}\nothers['tools'] = [find]\noptions = {}\nAgent(**options)\n", []),
        ("options = {'tools': [find]}\nAgent(tools=[], **options)\n", []),
    ],
)
def test_list_among_unpacked_options_has_tools(text, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("clerk.py").write_text(
        f"from google.adk.agents import Agent\n{FIND.replace('from team import *', '')}{text}", "utf-8"
    )
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "clerk.py"])
    assert [one["name"] for one in json.loads(result.stdout or "[]")] == names


TABLES = '''
def find(order: str) -> str:
    """Find an order by its number."""
    return order


def pay(order: str) -> str:
    """Pay an order."""
    return order


TOOLS = {"find": find, "pay": pay}
SETS = {"read": [find], "write": [pay]}


def all_of(*names):
    chosen = []
    for name in names:
        if name in SETS:
            chosen.extend(SETS[name])
    return chosen


def one_of(name):
    return SETS.get(name, [])
'''


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("[TOOLS['pay']]", ["pay"]),
        ("[TOOLS[name] for name in chosen]", ["find", "pay"]),
        ("[TOOLS.get(name) for name in chosen if name in TOOLS]", ["find", "pay"]),
        ("list(TOOLS.values())", ["find", "pay"]),
        ("[*tables.TOOLS.values()]", ["find", "pay"]),
        ("SETS['write']", ["pay"]),
        ("SETS[chosen] + []", ["find", "pay"]),
        ("SETS.get('read', [])", ["find"]),
        ("all_of('read', 'write')", ["find", "pay"]),
        ("one_of('read')", ["find", "pay"]),
        ("[one for several in SETS.values() for one in several]", ["find", "pay"]),
        ("[one for one in SETS['read']]", ["find"]),
        ("sum(SETS.values(), [])", ["find", "pay"]),
        ("[*itertools.chain(*SETS.values())]", ["find", "pay"]),
        ("[*itertools.chain.from_iterable(SETS.values())]", ["find", "pay"]),
        ("[TOOLS[2:]]", []),
        ("[one.name for one in TOOLS.values()]", []),
        ("sum(SETS)", []),
    ],
)
def test_list_may_have_the_entries_of_a_table(listed, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tables.py").write_text(TABLES, "utf-8")
    imports = "import itertools\nimport tables\nfrom google.adk.agents import Agent\nfrom tables import *\n"
    Path("clerk.py").write_text(f"{imports}\nAgent(name='clerk', tools={listed})\n", "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "clerk.py"])
    assert [one["name"] for one in json.loads(result.stdout or "[]")] == names

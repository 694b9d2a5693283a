"""Functions are tools if a function or a class of the project describes them to a model under their own name."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SCHEMA = """
import inspect


def describe(func):
    shown = {one: {"type": "string"} for one in inspect.signature(func).parameters}
    return {
        "type": "function",
        "function": {"name": func.__name__, "description": func.__doc__, "parameters": {"properties": shown}},
    }


class Tool:
    def __init__(self, func, name=None):
        self.func = func
        self.name = name or func.__name__
        self.description = func.__doc__

    def to_request(self):
        return {"name": self.name, "description": self.description, "input_schema": {"type": "object"}}


class Held:
    def __init__(self, held):
        self.held = held

    @property
    def title(self):
        return getattr(self.held, "__name__", "held")

    def to_request(self):
        return {"name": self.title, "description": self.held.__doc__, "parameters": {"type": "object"}}


class Registry:
    def __init__(self):
        self.kept = {}

    def keep(self, func):
        self.kept[func.__name__] = {"name": func.__name__, "description": func.__doc__, "parameters": {}}
        return func


def described(name=None, description=None):
    def decorate(func):
        named = name or func.__name__
        KEPT[named] = {"name": named, "description": description or func.__doc__, "parameters": {}}
        return func

    return decorate


class Agent:
    def __init__(self, title, tools=None):
        self.title = title
        self.tools = tools or []

    def ask(self):
        return [describe(one) for one in self.tools]


class Made:
    def __init__(self, name, description, parameters):
        self.name, self.description, self.parameters = name, description, parameters

    @classmethod
    def from_function(cls, func):
        return cls(name=func.__name__, description=func.__doc__, parameters={"type": "object"})


class Clerk:
    def __init__(self):
        self.tools = {}

    def learn(self, func, level=1):
        made = Made.from_function(func)
        self.tools[made.name] = made, level


def log(func):
    return {"name": func.__name__, "description": func.__doc__, "seconds": 1.5}


KEPT = {}
registry = Registry()
"""
FIND = '''
from schema import *


def find(order: str) -> str:
    """Find an order."""
    return order


def pay(order: str) -> str:
    """Pay an order."""
    return order


'''
DECORATED = '''
from schema import *


@{mark}
def find(order: str) -> str:
    """Find an order."""
    return order
'''


def listed(folder, monkeypatch, **files):
    """The names of the tools in a folder with some files, each with its framework and its kind."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "program.py"])
    found = json.loads(result.stdout) if result.stdout else []
    return [(one["name"], one["framework"], one["kind"]) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tools = [describe(find), describe(pay)]", [("find", "describe"), ("pay", "describe")]),
        ("tools = [describe(one) for one in (find, pay)]", [("find", "describe"), ("pay", "describe")]),
        ("tools = list(map(describe, [find, pay]))", [("find", "tools="), ("pay", "tools=")]),
        (
            "kept = {one.__name__: one for one in [find, pay]}\ntools = [describe(one) for one in kept.values()]",
            [("find", "describe"), ("pay", "describe")],
        ),
        ("tools = [Held(find)]", [("find", "Held")]),
        ("registry.keep(find)", [("find", "keep")]),
        ("tools = [Made.from_function(find)]", [("find", "from_function")]),
        (
            "clerk = Clerk()\nclerk.learn(find)\nclerk.learn(func=pay, level=2)",
            [("find", "from_function"), ("pay", "from_function")],
        ),
        ("clerk = Agent('clerk', tools=[find, pay])", [("find", "tools="), ("pay", "tools=")]),
        ("entries = [log(find), log(pay)]", []),
    ],
)
def test_function_that_the_project_describes_is_a_tool(text, expected, tmp_path, monkeypatch):
    found = listed(tmp_path, monkeypatch, schema=SCHEMA, program=f"{FIND}{text}\n")
    assert found == [(name, "openai_api", kind) for name, kind in expected]


def test_object_of_a_class_that_describes_its_function_has_its_name_or_another_one(tmp_path, monkeypatch):
    text = f"{FIND}tools = [Tool(find), Tool(pay, name='settle')]\n"
    found = listed(tmp_path, monkeypatch, schema=SCHEMA, program=text)
    assert found == [("find", "anthropic_sdk", "Tool"), ("settle", "anthropic_sdk", "Tool")]


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        ("registry.keep", "find"),
        ("described()", "find"),
        ("described('look_up')", "look_up"),
        ("described(name='look_up', description='Look an order up.')", "look_up"),
        ("log", None),
    ],
)
def test_decorator_that_describes_a_function_makes_it_a_tool(mark, name, tmp_path, monkeypatch):
    found = listed(tmp_path, monkeypatch, schema=SCHEMA, program=DECORATED.format(mark=mark))
    assert found == ([] if name is None else [(name, "openai_api", "decorator")])


def test_agent_in_one_file_whose_tools_another_file_describes_is_followed(tmp_path, monkeypatch):
    types = """
from pydantic import BaseModel


class Agent(BaseModel):
    title: str = "agent"
    functions: list = []
"""
    run = """
from schema import describe
from types_of_agents import Agent


def run(agent: Agent):
    return [describe(one) for one in agent.functions]
"""
    text = FIND.replace("schema", "run") + "clerk = Agent(functions=[find, pay])\n"
    found = listed(tmp_path, monkeypatch, schema=SCHEMA, types_of_agents=types, run=run, program=text)
    assert found == [("find", "openai_api", "tools="), ("pay", "openai_api", "tools=")]


BASE = """
from schema import describe


class Toolkit:
    def __init__(self, tools=None):
        self.held = {}
        for one in tools or []:
            self.held[one.__name__] = one

    def schemas(self):
        return [describe(one) for one in self.held.values()]
"""
WEATHER = """
from base import Toolkit


class Weather(Toolkit):
    def __init__(self):
        super().__init__(tools=[self.humidity])

    def humidity(self, city: str) -> str:
        return city
"""


def test_methods_that_a_class_gives_its_base_are_tools_if_that_describes_them(tmp_path, monkeypatch):
    found = listed(tmp_path, monkeypatch, schema=SCHEMA, base=BASE, program=WEATHER)
    assert found == [("humidity", "openai_api", "tools=")]


KEEPER = """
class Keeper:
    def __init__(self):
        self.kept = {}

    def add(self, func, name=None):
        self.kept[name or func.__name__] = func
        return func

    def forget(self, func):
        self.gone[func.__name__] = func

    def schemas(self):
        return [{"name": name, "description": one.__doc__, "parameters": {}} for name, one in self.kept.items()]


keeper = Keeper()
"""


def test_registry_that_describes_what_it_keeps_makes_tools(tmp_path, monkeypatch):
    text = f"{FIND.replace('schema', 'keeper')}keeper.add(find)\nkeeper.add(pay, 'settle')\nkeeper.forget(find)\n"
    found = listed(tmp_path, monkeypatch, keeper=KEEPER, program=text)
    assert found == [("find", "openai_api", "add"), ("settle", "openai_api", "add")]


def test_names_that_refer_to_each_other_end_the_search(tmp_path, monkeypatch):
    turns = "\n".join(
        f"    name = name or other or func.__name__ + '{turn}'\n    other = other or name" for turn in range(40)
    )
    text = (
        f"def describe(func, name=None, other=None):\n{turns}\n"
        '    return {"name": name, "description": other, "parameters": {}}\n\n\ndef find(order): ...\n\n\ndescribe(find)\n'
    )
    assert listed(tmp_path, monkeypatch, program=text) == []
    kept = KEEPER.replace("self.kept[name or func.__name__] = func", "self.kept[func] = func")
    found = listed(tmp_path, monkeypatch, keeper=kept, program=f"{FIND.replace('schema', 'keeper')}keeper.add(find)\n")
    assert found == [("find", "openai_api", "add")]


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        (f"{FIND}tools = [describe(find)]\n", "OpenAI API"),
        ("from elsewhere import tool\n\n\n@tool\ndef find(order): ...\n", "unknown frameworks"),
    ],
)
def test_command_that_imports_says_which_one_reads_such_tools(text, whose, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.py").write_text(SCHEMA, "utf-8")
    (tmp_path / "program.py").write_text(text, "utf-8")
    result = CliRunner().invoke(application(), ["list", "program.py"])
    assert result.exit_code == 2
    assert (
        f"hint: tools of {whose} are only read in the source: `toolkit list --static program.py`, and `toolkit lint` "
        "checks them"
    ) in result.stderr.splitlines()

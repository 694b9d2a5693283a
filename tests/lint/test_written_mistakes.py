"""Mistakes that the source shows are found in each way in which people write them, whether or not it is imported."""

import pytest

from toolkit.lint import LintSettings, check
from toolkit.settings import Configuration

HEAD = "import sys\nfrom typing import Annotated\n\nfrom toolkit import tool\n\n\n@tool\n"
MISTAKES = {
    "print to a stream": ('def show(city: str) -> str:\n    print(city, file=sys.stdout)\n    return ""\n', "TK407", 9),
    "write to a stream": ('def show(city: str) -> str:\n    sys.stdout.write(city)\n    return ""\n', "TK407", 9),
    "annotated default": ('def show(days: Annotated[int, "How many"] = "20") -> str:\n    return ""\n', "TK313", 8),
    "plain default": ('def show(days: int = "20") -> str:\n    return ""\n', "TK313", 8),
    "long name": (f'def show_{"x" * 60}(city: str) -> str:\n    return ""\n', "TK102", 8),
    "secret default": ('def show(password: str = "hunter2-Xk93kd") -> str:\n    return ""\n', "TK512", 8),
}


@pytest.mark.parametrize("is_static", [True, False], ids=["read", "imported"])
@pytest.mark.parametrize(("text", "code", "line"), MISTAKES.values(), ids=MISTAKES)
def test_mistake_is_found_once(tmp_path, text, code, line, is_static):
    (tmp_path / "tools.py").write_text(HEAD + text, "utf-8")
    settings = LintSettings(providers=("portable", "mcp"), is_static=is_static)

    found = check([str(tmp_path / "tools.py")], Configuration(), settings=settings)

    assert [one.location.line for one in found if one.code == code] == [line]


def test_arguments_of_any_number_are_one_finding(tmp_path):
    (tmp_path / "tools.py").write_text(HEAD + "def show(*args, **kwargs) -> str:\n    return ''\n", "utf-8")

    found = check([str(tmp_path / "tools.py")], Configuration(), settings=LintSettings(is_static=True))

    assert [one.code for one in found] == ["TK201", "TK321"]


SERVERS = {
    "of the framework": ("from mcp.server.mcpserver import MCPServer\n\nserver = MCPServer('shop')\n", True),
    "of another package": ("from elsewhere.app import server\n", False),
    "of a class of the project": (
        """from mcp.server.mcpserver import MCPServer

sdk = MCPServer("shop")


class App:
    def tool(self, function):
        sdk.tool()(function)
        return function


server = App()
""",
        False,
    ),
}


@pytest.mark.parametrize(("text", "is_mistake"), SERVERS.values(), ids=SERVERS)
def test_decorator_must_be_called_only_if_the_source_shows_whose_it_is(tmp_path, text, is_mistake):
    tool = "\n\n@server.tool\ndef show(city: str) -> str:\n    return city\n"
    (tmp_path / "tools.py").write_text(text + tool, "utf-8")

    settings = LintSettings(is_static=True, profile="recommended")
    found = check([str(tmp_path / "tools.py")], Configuration(), settings=settings)

    assert ("TK701" in [one.code for one in found]) == is_mistake


AGENT = """from typing import Annotated

from autogen import ConversableAgent
from pydantic import Field

agent = ConversableAgent("clerk")


@agent.register_for_llm(description="Find an order.")
def find(order, fee=0, note: Annotated[str, Field(description="A note.")] = "", *more: str) -> str:
    return f"{order} {fee} {note} {more}"
"""


def test_agent_refuses_parameters_without_types_unless_they_have_defaults(tmp_path):
    (tmp_path / "clerk.py").write_text(AGENT, "utf-8")

    found = check([str(tmp_path / "clerk.py")], Configuration(), settings=LintSettings(is_static=True))

    assert [(one.code, one.message) for one in found] == [
        ("TK706", "autogen (AG2) refuses parameter 'order', which has no type"),
        ("TK712", "autogen (AG2) refuses 'Field' in the type of 'note'"),
        ("TK709", "tool 'find' takes *more"),
    ]


OWN_AGENT = """from dataclasses import dataclass

from pydantic_ai.result import RunResult


@dataclass
class RunContext:
    shop: str


class Agent:
    def __init__(self):
        self._tools = {}

    def tool(self, function):
        self._tools[function.__name__] = function
        return function

    def run(self, call) -> RunResult:
        return RunResult(self._tools[call["name"]](RunContext("Oslo"), **call["arguments"]))
"""
CLERK = """from own_agent import Agent, RunContext

clerk = Agent()


@clerk.tool
def find(order: str, context: RunContext) -> str:
    return f"{context.shop} {order}"
"""


def test_what_a_framework_requires_is_not_required_of_functions_that_an_agent_of_the_project_runs(tmp_path):
    (tmp_path / "own_agent.py").write_text(OWN_AGENT, "utf-8")
    (tmp_path / "clerk.py").write_text(CLERK, "utf-8")

    settings = LintSettings(is_static=True, profile="all")
    found = {one.code for one in check([str(tmp_path)], Configuration(), settings=settings)}
    (tmp_path / "clerk.py").write_text(
        CLERK.replace("own_agent", "pydantic_ai").replace("clerk = Agent()", "clerk = Agent('test')"), "utf-8"
    )
    of_framework = {one.code for one in check([str(tmp_path)], Configuration(), settings=settings)}

    refused = {"TK701", "TK703", "TK706", "TK707", "TK708", "TK709", "TK712"}
    assert found & refused == set()
    assert of_framework & refused == {"TK708"}


TABLE = """SCHEMAS = {
    "find": {
        "name": "find",
        "description": "Find an order.",
        "inputSchema": {"type": "object", "properties": {}, "required": ["order"]},
    },
}
"""
ADDING = """

for one in SCHEMAS.values():
    properties = one["inputSchema"].setdefault("properties", {})
    properties["order"] = {"type": "string"}
"""

OTHER = """SCHEMAS["pay"] = {
    "name": "pay",
    "description": "Pay an order.",
    "inputSchema": {"type": "object", "properties": {"ordr": {"type": "string"}}, "required": ["order"]},
}
"""


@pytest.mark.parametrize(
    ("more", "is_mistake"),
    [("", True), (ADDING, False), ("ORDER = FOUND['properties']\n", True), (OTHER + ADDING, True)],
)
def test_property_that_code_adds_later_is_not_missing(tmp_path, more, is_mistake):
    (tmp_path / "tools.py").write_text(f"import mcp\n\n{TABLE}{more}", "utf-8")

    settings = LintSettings(is_static=True, profile="recommended")
    found = check([str(tmp_path / "tools.py")], Configuration(), settings=settings)

    assert ("TK303" in [one.code for one in found]) == is_mistake

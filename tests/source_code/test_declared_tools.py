"""Tools that a program defines as plain data are found where their definitions are, if the program sends them."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SCHEMA = '{"type": "object", "properties": {"order": {"type": "string", "description": "Its number."}}}'
FIND = f'{{"name": "find", "description": "Find an order.", "input_schema": {SCHEMA}}}'
DESK = f"""
class Desk:
    def definitions(self):
        return [{FIND}]
"""
NOT_SHOWN = "no tools were found: the source does not show the names of those with {'name': name, …}"
CLERK = """
import anthropic
from desk import Desk

client = anthropic.Anthropic()


def ask(question):
    return client.messages.create(model="m", messages=[question], tools=Desk().definitions())
"""
BASE = """
from abc import ABC, abstractmethod
from anthropic import Anthropic


class Definition(ABC):
    @abstractmethod
    def name(self): ...

    @abstractmethod
    def input_schema(self): ...


def sent(tools):
    return [{"name": one.name(), "description": one.description(), "input_schema": one.input_schema()} for one in tools]
"""
METHODS = f"""
from base import Definition


class Find(Definition):
    def __init__(self):
        self.schema = {SCHEMA}

    def name(self):
        return "find"

    def description(self):
        return "Find an order."

    def input_schema(self):
        return self.schema

    def execute(self, order):
        return order
"""
REGISTRY = f"""
def registry(find):
    return {{"find": {{"description": "Find an order.", "inputSchema": {SCHEMA}, "handler": find}}}}
"""
SERVER = """
from mcp.server import Server
from mcp.types import Tool
from registry import registry

server = Server("shop")


@server.list_tools()
async def list_tools():
    return [Tool(name=name, **spec) for name, spec in registry(find).items()]
"""
OWN_CLASS = f"""
from dataclasses import dataclass


@dataclass
class ShopTool:
    name: str
    description: str
    input_schema: dict

    def as_dict(self):
        return {{"name": self.name, "description": self.description, "inputSchema": self.input_schema}}


TOOLS = [
    ShopTool(name="find", description="Find an order.", input_schema={SCHEMA}),
    ShopTool("pay", "Pay an order.", {SCHEMA}),
]
"""
CONVERTED = """
from mcp.server import Server
from mcp.types import Tool
from shop_tools import TOOLS

server = Server("shop")


@server.list_tools()
async def list_tools():
    return [Tool(name=one.name, description=one.description, inputSchema=one.input_schema) for one in TOOLS]
"""
BY_HAND = """
from shop_tools import TOOLS


def answer(method):
    if method == "tools/list":
        return {"tools": [one.as_dict() for one in TOOLS]}
"""

MADE_BY_HAND = """
from shop_tools import TOOLS


def answer(method):
    if method == "tools/list":
        return {"tools": [{"name": one.name, "inputSchema": one.input_schema} for one in TOOLS]}
"""
IN_TURNS = f"""
from shop import find, pay

TOOLS = {{"find": find, "pay": pay}}


def answer(method):
    if method == "tools/list":
        return {{"tools": [{{"name": name, "description": name, "inputSchema": {SCHEMA}}} for name in TOOLS]}}
"""
GATEWAY = f"""
import boto3

gateways = boto3.client("bedrock-agentcore-control")
target = {{"mcp": {{"lambda": {{"toolSchema": {{"inlinePayload": [
    {{"name": "find", "description": "Find an order.", "inputSchema": {SCHEMA}}}
]}}}}}}}}
gateways.create_gateway_target(gatewayIdentifier="shop", name="orders", targetConfiguration=target)
"""


@pytest.fixture
def listed():
    """Return the tools that `list --static` finds, and what it says about others."""

    def listed():
        result = CliRunner().invoke(application(), ["list", ".", "--static", "--format", "json"])
        found = [f"{one['path']}:{one['line']} {one['name']} {one['framework']}" for one in json.loads(result.stdout)]
        return found, [one["message"] for one in json.loads(result.stderr or '{"problems": []}')["problems"]]

    return listed


@pytest.mark.parametrize(
    ("files", "tools"),
    [
        ({"desk": DESK, "clerk": CLERK}, ["desk.py:4 find anthropic_sdk"]),
        ({"base": BASE, "finding": METHODS, "shop": "import finding\n"}, ["finding.py:5 find anthropic_sdk"]),
        ({"registry": REGISTRY, "server": SERVER}, ["registry.py:3 find mcp_sdk"]),
        (
            {"shop_tools": OWN_CLASS, "server": CONVERTED},
            ["shop_tools.py:16 find mcp_sdk", "shop_tools.py:17 pay mcp_sdk"],
        ),
        (
            {"shop_tools": OWN_CLASS, "server": BY_HAND},
            ["shop_tools.py:16 find mcp_sdk", "shop_tools.py:17 pay mcp_sdk"],
        ),
        (
            {"shop_tools": OWN_CLASS, "server": MADE_BY_HAND},
            ["shop_tools.py:16 find mcp_sdk", "shop_tools.py:17 pay mcp_sdk"],
        ),
        ({"server": IN_TURNS}, ["server.py:9 find mcp_sdk", "server.py:9 pay mcp_sdk"]),
        ({"deploy": GATEWAY}, ["deploy.py:6 find mcp_sdk"]),
        (
            {"clerk": f"import os.path as p, anthropic\n\nTOOLS = [{FIND}]\n"},
            ["clerk.py:3 find anthropic_sdk"],
        ),
    ],
)
def test_definitions_are_tools_where_they_are(files, tools, write, listed):
    write(**files)
    assert listed() == (tools, [])


def test_definitions_that_no_known_package_sends_are_those_of_another_framework(write, listed):
    write(desk=DESK, clerk=CLERK.replace("anthropic", "answers"))
    assert listed() == (["desk.py:4 find others"], [])
    write(desk=DESK.replace("input_schema", "inputSchema"), clerk=CLERK.replace("anthropic", "answers"))
    assert listed() == (["desk.py:4 find others"], [])
    write(desk=DESK.replace("description", "title"), clerk=CLERK.replace("anthropic", "answers"))
    assert listed() == ([], ["no tools found in the source of '.'"])


SKILLS = """
import anthropic
from dataclasses import dataclass


@dataclass
class Skill:
    name: str
    description: str
    input_schema: dict


SKILLS = [Skill(name="find", description="Find an order.", input_schema={"order": "string", "limit": "int (optional)"})]
"""


def test_skills_of_an_agent_without_a_json_schema_are_none(write, listed):
    write(skills=SKILLS)
    assert listed()[0] == []
    write(skills=SKILLS.replace('{"order": "string", "limit": "int (optional)"}', SCHEMA))
    assert listed()[0] == ["skills.py:13 find anthropic_sdk"]


def test_definitions_in_a_file_that_nothing_imports_are_not_those_of_the_package_that_others_use(write, listed):
    write(desk=DESK, clerk=CLERK.replace("from desk import Desk", ""))
    assert listed() == (["desk.py:4 find others"], [])


@pytest.mark.parametrize(
    "text",
    [
        'SPEC = {"toolSpec": {"name": "find", "inputSchema": {"json": {}}}}\n',
        'SCHEMA = {"properties": {"name": {"type": "string"}, "inputSchema": {"type": "object"}}}\n',
        'SCHEMA = {"properties": {"find": {"description": "The tool.", "inputSchema": {}}}}\n',
        'FOUND = {"name": "find", "input_schema": "schema.json"}\n',
    ],
)
def test_dictionaries_of_other_formats_are_none(text, write, listed):
    write(tools=f"import mcp\n\n{text}")
    assert listed() == ([], ["no tools found in the source of '.'"])


def test_what_is_not_shown_is_said_with_its_place_if_nothing_else_is_found(write, listed):
    write(
        desk="import anthropic\n\n\ndef define(name, model):\n    return {'name': name, 'input_schema': model.schema()}\n"
    )
    assert listed() == ([], [NOT_SHOWN])
    for target in (".", "desk.py"):
        result = CliRunner().invoke(
            application(), ["lint", target, "--static", "--no-cache", "--quiet", "--format", "concise"]
        )
        assert result.stdout.splitlines() == [f"desk.py:5:12: warning[TK004] {NOT_SHOWN}"]
    write(clerk=f"import anthropic\n\nTOOLS = [{FIND}]\n")
    assert listed() == (["clerk.py:3 find anthropic_sdk"], [])


RELAYED = """
async def listed(session):
    answer = await session.list_tools()
    return [{'name': one.name, 'input_schema': one.inputSchema} for one in answer.tools]
"""
CONVERTED_FOR_MODEL = """
def convert(tool):
    schema = tool.inputSchema or {}
    return {'name': tool.name, 'input_schema': schema}
"""


@pytest.mark.parametrize("text", [RELAYED, CONVERTED_FOR_MODEL])
def test_definitions_that_a_server_has_listed_are_those_of_the_server(text, write, listed):
    write(desk=f"import anthropic\n{text}")
    command = ["lint", ".", "--static", "--no-cache", "--profile", "all", "--format", "json"]
    found = json.loads(CliRunner().invoke(application(), command).stdout)
    assert [(one["code"], one["severity"]) for one in found if one["location"]] == [("TK004", "info")]
    write(desk=f"import anthropic\n{text.replace('inputSchema', 'parameters')}")
    found = json.loads(CliRunner().invoke(application(), command).stdout)
    assert [(one["code"], one["severity"]) for one in found if one["location"]] == [("TK004", "warning")]


@pytest.mark.parametrize("given", ["name: str", "*name: str", "operation, *, name: str = 'call'"])
@pytest.mark.parametrize("later", ["name = name or operation", "name: str", "(name := name.lower())"])
def test_name_that_an_annotated_parameter_and_a_statement_beside_a_loop_give_is_not_known(given, later, write, listed):
    definition = FIND.replace('"find"', "name")
    loop = "for one in operations:\n        print(one)"
    write(desk=f"import anthropic\n\n\ndef made({given}):\n    {loop}\n    {later}\n    return {definition}\n")
    assert listed() == ([], [NOT_SHOWN])


def test_definitions_are_checked_like_other_tools(write):
    undescribed = SCHEMA.replace(', "description": "Its number."', "")
    write(desk=DESK.replace(SCHEMA, undescribed), clerk=CLERK)
    command = ["lint", ".", "--static", "--no-cache", "--quiet", "--format", "concise", "--select", "TK204"]
    found = CliRunner().invoke(application(), command).stdout.splitlines()
    assert found == ["desk.py:4:117: info[TK204] parameter 'order' of 'find' has no description"]


FILLED = """
import anthropic


def sent(fields):
    properties = {}
    for one in fields:
        properties[one] = {"type": "string"}
    schema = {"type": "object", "properties": properties, "required": ["order"]}
    return {"name": "find", "description": "Find an order.", "input_schema": schema}
"""


def test_a_schema_that_statements_fill_is_not_known(write, listed):
    write(desk=FILLED)
    assert listed() == (["desk.py:10 find anthropic_sdk"], [])
    command = ["lint", ".", "--static", "--no-cache", "--quiet", "--format", "concise", "--select", "TK303"]
    assert CliRunner().invoke(application(), command).stdout == ""

"""Classes are tools if a base class of the project describes its objects to a model."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

BASE = """
from abc import ABC, abstractmethod


class BaseTool(ABC):
    name: str = ""
    description: str = ""

    @property
    @abstractmethod
    def parameters(self): ...

    @abstractmethod
    async def execute(self, **arguments): ...

    def sent(self):
        return DEFINITION
"""
FORMS = {
    '{"type": "function", "function": {"name": self.name, "description": self.description, "parameters": self.parameters}}': "openai_api",
    '{"name": self.name, "description": self.description, "input_schema": self.parameters}': "anthropic_sdk",
    '{"name": self.name, "description": self.description, "parameters": self.parameters}': "openai_api",
    '{"toolSpec": {"name": self.name, "description": self.description, "inputSchema": {"json": self.parameters}}}': "bedrock_api",
    "types.Tool(name=self.name, description=self.description, inputSchema=self.parameters)": "mcp_sdk",
    "FunctionDeclaration(name=self.name, description=self.description, parameters=self.parameters)": "gemini_api",
}
OPENAI, FLAT = next(iter(FORMS)), list(FORMS)[2]
FIND = """
from base import BaseTool


class Find(BaseTool):
    name = "find"
    description = "Find an order of the shop by its number."

    @property
    def parameters(self):
        return {
            "type": "object",
            "properties": {"order": {"type": "string"}, "unit": {"type": "string", "description": "Its unit."}},
        }

    async def execute(self, **arguments):
        return arguments
"""


@pytest.fixture
def listed():
    """Return the tools that `list --static` finds, and what it says about others."""

    def listed():
        result = CliRunner().invoke(application(), ["list", ".", "--static", "--format", "json"])
        found = json.loads(result.stdout or "[]")
        lines = [f"{one['path']}:{one['line']} {one['name']} {one['framework']} {one['kind']}" for one in found]
        return lines, [one["message"] for one in json.loads(result.stderr or '{"problems": []}')["problems"]]

    return listed


def undescribed(*options):
    """Return the parameters that lint finds without a description."""
    words = ["lint", "--no-cache", "--select", "TK204", "--format", "json", ".", *options]
    found = json.loads(CliRunner().invoke(application(), words).stdout)
    return [(one["location"]["file"], one["location"]["line"], one["message"].split("'")[1]) for one in found]


@pytest.mark.parametrize("form", FORMS)
def test_classes_that_their_base_class_describes_are_tools(form, write, listed):
    write(base=BASE.replace("DEFINITION", form), finding=FIND)
    assert listed() == ([f"finding.py:5 find {FORMS[form]} class"], [])
    assert undescribed() == undescribed("--static") == [("finding.py", 13, "order")]


SENT = (
    BASE[: BASE.index("class")]
    + """
@dataclass
class Shown:
    name: str
    description: str = ""
    parameters: list = field(default_factory=list)

    def sent(self):
        return DEFINITION
"""
)


@pytest.mark.parametrize("form", FORMS)
def test_objects_of_a_class_that_describes_them_are_tools(form, write, listed):
    finding = """
from base import Shown


class Find:
    @property
    def shown(self):
        return Shown(name="find", description="Find an order.", parameters=[Parameter("order")])


SEND = Shown("send", "Send an order.")
"""
    write(base=SENT.replace("DEFINITION", form), finding=finding)
    kinds = f"{FORMS[form]} Shown"
    assert listed() == ([f"finding.py:8 find {kinds}", f"finding.py:11 send {kinds}"], [])


@pytest.mark.parametrize(("name", "found"), [("ToolDef", ["shop.py:3 find openai_api ToolDef"]), ("Page", [])])
def test_objects_of_a_class_for_tools_that_another_file_describes_are_tools(name, found, write, listed):
    sender = f"""
from base import {name}


def sent(found: list[{name}]):
    for one in found:
        schema = one.model.schema()
        yield {{"name": one.name, "description": one.description, "parameters": schema}}
"""
    write(base=f"@dataclass\nclass {name}:\n    name: str\n    description: str\n    model: type\n", sender=sender)
    write(shop=f'from base import {name}\n\nFIND = {name}(name="find", description="Find an order.", model=Order)\n')
    assert listed()[0] == found


@pytest.mark.parametrize(
    ("more", "is_tool"), [("", True), ('"strict": True, ', True), ('"status": self.status, ', False)]
)
def test_objects_of_a_class_with_other_parts_are_no_tools(more, is_tool, write, listed):
    form = f'{{{more}"name": self.name, "description": self.description, "parameters": self.parameters}}'
    write(base=SENT.replace("DEFINITION", form))
    write(finding='from base import Shown\n\nFIND = Shown("find", "Find an order.", parameters=goal.context)\n')
    assert bool(listed()[0]) == is_tool
    write(
        base=SENT.replace("DEFINITION", form).replace("    parameters", "    function: object = None\n    parameters")
    )
    write(finding='from base import Shown\n\nFIND = Shown("find", "Find an order.", function=find)\n')
    assert listed()[0] == ["finding.py:3 find openai_api Shown"]


def test_objects_without_a_description_or_a_name_are_no_tools(write, listed):
    finding = 'from base import Shown\n\nFIND = Shown(name="find")\nSEND = Shown(chosen(), description="Send.")\n'
    write(base=SENT.replace("DEFINITION", OPENAI), finding=finding)
    assert listed()[0] == []


def test_file_that_another_one_has_read_before_is_read_alike(write, listed):
    used = "from finding import Find\n\n\ndef build(registry):\n    registry.register(Find())\n"
    write(an_agent=used, base=BASE.replace("DEFINITION", OPENAI), finding=FIND)
    assert undescribed("--static") == [("finding.py", 13, "order")]


def test_class_that_an_import_takes_for_a_text_tool_is_one_tool(write):
    write(
        base=BASE.replace("DEFINITION", OPENAI),
        finding=FIND.replace("**arguments", "text").replace("arguments", "text"),
    )
    for options in ((), ("--static",)):
        result = CliRunner().invoke(application(), ["lint", "--no-cache", ".", *options])
        assert "(1 tool in 1 file: 1 OpenAI API;" in result.output


def test_class_may_set_its_parts_in_any_way(write, listed):
    write(
        base="""
class Tool:
    def __init__(self, name, description, schema):
        self.name = name
        self.description = description
        self.schema = schema

    def definition(self):
        return {"name": self.name, "description": self.description, "input_schema": self.schema}
""",
        given="""
from base import Tool


class Given(Tool):
    def __init__(self):
        super().__init__("given", "Give something.", {"type": "object", "properties": {"given": {"type": "string"}}})


class Set(Tool):
    def __init__(self):
        self.name = "set"
        self.description = "Set something."
        self.schema = {"type": "object", "properties": {"set": {"type": "string"}}}
""",
    )
    assert listed() == (["given.py:5 given anthropic_sdk class", "given.py:10 set anthropic_sdk class"], [])
    assert undescribed() == [("given.py", 7, "given"), ("given.py", 14, "set")]


METHODS = """
class Base:
    def get_name(self):
        raise NotImplementedError

    def schema(self):
        return make_schema(self.run)

    def to_openai(self):
        inner = {"name": self.get_name(), "description": self.get_description(), "parameters": self.schema()}
        return {"type": "function", "function": inner}


class Find(Base):
    def get_name(self):
        return "find"

    def get_description(self):
        return "Find an order of the shop."

    def run(self, order):
        return order
"""


def test_class_may_have_methods_and_a_schema_that_is_made_of_the_signature(write, listed):
    write(tools=METHODS)
    assert listed() == (["tools.py:14 find openai_api class"], [])
    assert undescribed() == [("tools.py", 21, "order")]


MAPPING = OPENAI.replace("self.parameters", '{"type": "object", "properties": self.parameters}')


def test_base_class_may_complete_the_schema(write, listed):
    found = FIND.replace('"type": "object",\n            "properties": {', "").replace(
        '"Its unit."}},', '"Its unit."},'
    )
    write(base=BASE.replace("DEFINITION", MAPPING), finding=found)
    assert listed() == (["finding.py:5 find openai_api class"], [])
    assert undescribed() == [("finding.py", 12, "order")]


MODEL = """
from base import BaseTool
from pydantic import BaseModel, Field


class Order(BaseModel):
    order: str
    unit: str = Field(description="Its unit.")


class Find(BaseTool):
    name = "find"
    description = "Find an order of the shop by its number."
    parameters = Order

    async def execute(self, **arguments):
        return arguments
"""


def test_schema_may_be_that_of_a_model(write, listed):
    schema = "self.parameters.model_json_schema()"
    write(base=BASE.replace("DEFINITION", OPENAI.replace("self.parameters", schema)), finding=MODEL)
    assert listed() == (["finding.py:11 find openai_api class"], [])
    assert undescribed() == [("finding.py", 7, "order")]


LISTED = """
from base import BaseTool


class Find(BaseTool):
    @property
    def name(self):
        return "find"

    @property
    def description(self):
        return "Find an order of the shop by its number."

    def listed(self):
        return [Parameter("order", "string")]

    async def execute(self, **arguments):
        return arguments
"""
PUT_TOGETHER = BASE.replace(
    "        return DEFINITION",
    """        properties = {one.name: {"type": one.type} for one in self.listed()}
        return DEFINITION""",
)


@pytest.mark.parametrize(
    "definition",
    [
        OPENAI.replace("self.parameters", '{"type": "object", "properties": properties}'),
        FLAT.replace("self.parameters", '{"type": "object", "properties": properties}'),
        FLAT.replace('"parameters": self.parameters', '"input_schema": properties'),
    ],
)
def test_schema_may_be_put_together_of_a_list_of_parameters(definition, write, listed):
    write(base=PUT_TOGETHER.replace("DEFINITION", definition), finding=LISTED)
    assert [one.split()[:2] for one in listed()[0]] == [["finding.py:5", "find"]]
    assert undescribed() == []
    write(base=PUT_TOGETHER.replace("DEFINITION", FLAT.replace("self.parameters", "properties")), finding=LISTED)
    assert listed()[0] == []


NONE = {
    "a base class that describes nothing": (BASE.replace("DEFINITION", "self.name"), FIND.replace("execute", "run")),
    "a base class that makes an entry of a catalogue": (
        BASE.replace("DEFINITION", FLAT.replace("self.parameters", "[one.name for one in self.parameters]")),
        FIND.replace("execute", "run"),
    ),
    "a class without a name": (BASE.replace("DEFINITION", OPENAI), FIND.replace('name = "find"', "")),
    "a class whose name is computed": (BASE.replace("DEFINITION", OPENAI), FIND.replace('"find"', "work_out()")),
    "a class without a description": (BASE.replace("DEFINITION", OPENAI), FIND.replace("    description", "    text")),
    "an abstract class": (
        BASE.replace("DEFINITION", OPENAI),
        FIND.replace("async def", "@abstractmethod\n    async def"),
    ),
    "a class that cannot run": (
        BASE.replace("DEFINITION", OPENAI),
        'from base import BaseTool\n\n\nclass Find(BaseTool):\n    name = "find"\n    description = "Find it."\n',
    ),
}


@pytest.mark.parametrize("case", NONE)
def test_other_classes_are_no_tools(case, write, listed):
    base, finding = NONE[case]
    write(base=base, finding=finding)
    assert listed()[0] == []


def test_class_that_describes_itself_is_a_tool_unless_others_are_derived_from_it(write, listed):
    alone = FIND.replace("from base import BaseTool", "").replace("(BaseTool)", "")
    alone += f"\n    def sent(self):\n        return {OPENAI}\n"
    write(finding=alone)
    assert listed()[0] == ["finding.py:5 find openai_api class"]
    more = "from finding import Find\n\n\nclass Pay(Find):\n    name = 'pay'\n    description = 'Pay.'\n"
    write(paying=more)
    assert listed()[0] == ["paying.py:4 pay openai_api class"]


def test_class_whose_name_is_computed_is_no_tool_if_others_are_derived_from_it(write, listed):
    base = """from smolagents import Tool


class ShopTool(Tool):
    def __init__(self):
        self.name = type(self).__name__.lower()
        self.description = f"The {self.name} of the shop."
        super().__init__()

    def forward(self, **given):
        return given
"""
    write(base=base)
    assert listed()[0] == ["base.py:4 None smolagents class"]
    find = "from base import ShopTool\n\n\nclass Find(ShopTool):\n    name = 'find'\n    description = 'Find it.'\n"
    write(finding=find)
    assert listed()[0] == ["finding.py:4 find smolagents class"]


REGISTRY = """
from base import BaseTool


class Registry:
    def __init__(self):
        self._tools: dict[str, BaseTool] = {}

    def sent(self):
        return [DEFINITION for tool in self._tools.values()]
"""
UNDESCRIBED = BASE.replace("    def sent(self):\n        return DEFINITION\n", "")
TOLD = '{"name": tool.name, "description": tool.description, "input_schema": tool.parameters}'


def test_registry_that_knows_a_base_class_describes_its_objects(write, listed):
    decorated = FIND.replace("class Find", "@marked(1)\nclass Find").replace(
        'name = "find"', "@property\n    def name(self):\n        return 'find'\n"
    )
    write(base=UNDESCRIBED, finding=decorated, registry=REGISTRY.replace("DEFINITION", TOLD))
    assert listed()[0] == ["finding.py:6 find anthropic_sdk class"]
    listing = REGISTRY.replace("DEFINITION", TOLD).replace(
        '"input_schema": tool.parameters', '"parameters": [tool.size]'
    )
    for registry in (listing, "import base\n", REGISTRY.replace("DEFINITION", TOLD).replace("BaseTool", "Other")):
        write(registry=registry)
        assert "anthropic_sdk" not in str(listed()[0])


@pytest.mark.parametrize("name", ['known.get("name", tool.name)', 'tool.name or "tool"', "known.name or tool.name"])
def test_file_that_imports_a_base_class_for_its_types_may_describe_its_objects(name, write, listed):
    told = f'{{"name": {name}, "description": tool.description, "input_schema": known.get("parameters", {{}})}}'
    find = FIND.replace("    @property\n    def parameters(self):", "    def parameters(self):")
    typed = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from base import BaseTool\n"
    write(base=UNDESCRIBED, finding=find)
    write(registry=REGISTRY.replace("from base import BaseTool\n", typed).replace("DEFINITION", told))
    assert listed()[0] == ["finding.py:5 find anthropic_sdk class"]


def test_definition_of_a_class_method_belongs_to_the_classes_derived_from_it(write, listed):
    base = BASE.replace('name: str = ""', 'name: str = "base"').replace(
        "def sent(self)", "@classmethod\n    def sent(cls)"
    )
    write(base=base.replace("DEFINITION", OPENAI.replace("self", "cls")), finding=FIND)
    assert listed()[0] == ["finding.py:5 find openai_api class"]


HANDLERS = """
from mcp.types import Tool

FIND = "find"


class Handler:
    prefix = "shop"

    def __init__(self, title: str, kind: str = "order"):
        self.title = title
        self.kind = kind

    def definition(self) -> Tool:
        raise NotImplementedError


class Find(Handler):
    def __init__(self):
        super().__init__(FIND)

    def definition(self):
        return Tool(name=self.title, description="Find an order.", inputSchema={"type": "object"})


class Passing(Handler):
    def __init__(self, title):
        super().__init__(kind="order", title=title)


class Send(Passing):
    def __init__(self):
        super().__init__("send")

    def definition(self):
        return Tool(name=f"{self.prefix}_{self.title}", description="Send an order.", inputSchema={"type": "object"})


"""
SERVER = """
from mcp.server import Server

import handlers

server = Server("shop")
known = {}


def add(handler: handlers.Handler):
    known[handler.title] = handler


add(handlers.Find())
add(handlers.Send())


@server.list_tools()
async def listed():
    return [one.definition() for one in known.values()]
"""


def test_a_name_that_a_base_class_keeps_is_the_one_that_the_class_gives_to_it(write, listed):
    write(handlers=HANDLERS, server=SERVER)
    found, problems = listed()
    assert found == ["handlers.py:23 find mcp_sdk Tool", "handlers.py:36 shop_send mcp_sdk Tool"]
    assert problems == []


def test_a_description_that_is_put_together_of_attributes_is_one(write, listed):
    made = '{"name": self.name, "description": " ".join([self.when, self.gives]), "input_schema": self.schema}'
    base = f"""
class Spec:
    name = ""
    when = ""
    gives = ""
    schema = {{}}

    def sent(self):
        return {made}

    def run(self, **arguments): ...
"""
    finding = """
from base import Spec


class Find(Spec):
    name = "find"
    when = "Use it to find an order."
    gives = "The order."
    schema = {"type": "object", "properties": {}}

    def run(self, **arguments):
        return arguments
"""
    write(base=base, finding=finding)
    assert listed() == (["finding.py:5 find anthropic_sdk class"], [])


def test_bases_that_share_theirs_are_each_read_once(write, listed):
    """Thirty levels with two classes each: a class at the top is reached on a billion paths."""
    levels = "".join(
        f"class L{at}({f'L{at - 1}, R{at - 1}' if at else ''}):\n    pass\n\n\n"
        f"class R{at}({f'L{at - 1}, R{at - 1}' if at else ''}):\n    pass\n\n\n"
        for at in range(30)
    )
    finding = f"""
from fastmcp import FastMCP

server = FastMCP("shop")


{levels}class Desk(L29, R29):
    name = "desk"
    description = "Find an order."

    def run(self, order: str) -> str:
        return order


@server.tool
def find(order: str) -> str:
    return Desk().run(order)
"""
    write(finding=finding)
    found, _ = listed()
    assert [one.split()[1] for one in found] == ["find"]

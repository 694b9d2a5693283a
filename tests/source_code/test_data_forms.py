"""Definitions whose form alone makes them tools are found, with any package or none, and what resembles them is not."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

ORDER = '{"type": "object", "properties": {"order": {"type": "string", "description": "Its number."}}}'
TOLD = '{"order": {"type": "string", "description": "Its number.", "required": True}}'
PARTS = f'"name": "find", "description": "Find an order.", "parameters": {ORDER}'
CHAT = f'{{"type": "function", "function": {{{PARTS}}}}}'
OBJECT = """class ToolSpec(NamedTuple):
    name: str
    description: str
    group: str = ""
    handler: object = None
    required: list = []

"""
FLAT = f'{{"type": "function", {PARTS}}}'
BEDROCK = f'{{"toolSpec": {{"name": "find", "description": "Find an order.", "inputSchema": {{"json": {ORDER}}}}}}}'
CAPITALS = ORDER.replace('"object"', '"OBJECT"').replace('"string"', '"STRING"')
GEMINI = f'{{"name": "find", "description": "Find an order.", "parameters": {CAPITALS}}}'
DECLARED = f'FunctionDeclaration(name="find", description="Find an order.", parameters={CAPITALS})'
NOTHING = ([], ["no tools found in the source of '.'"])


@pytest.fixture
def listed():
    """Return the tools that `list --static` finds, and what it says about others."""

    def listed():
        result = CliRunner().invoke(application(), ["list", ".", "--static", "--format", "json"])
        found = [
            f"{one['path']}:{one['line']} {one['name']} {one['framework']} {one['kind']}"
            for one in json.loads(result.stdout)
        ]
        return found, [one["message"] for one in json.loads(result.stderr or '{"problems": []}')["problems"]]

    return listed


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (f"import openai\nTOOLS = [{CHAT}]\n", "2 find openai_api parameters"),
        (f"TOOLS = [{CHAT}]\n", "1 find openai_api parameters"),
        (f"from litellm import completion\n\ncompletion(tools=[{CHAT}])\n", "3 find openai_api parameters"),
        (f"FIND = {FLAT}\nTOOLS = [FIND]\n", "1 find openai_api parameters"),
        (f"def tools():\n    return [{CHAT}]\n", "2 find openai_api parameters"),
        (f"class Find:\n    definition = {CHAT}\n", "2 find openai_api parameters"),
        (f"class Find:\n    def to_openai(self):\n        return {CHAT}\n", "3 find openai_api parameters"),
        (
            f'TOOL = dict(type="function", function=dict(name="find", parameters={ORDER}))\n',
            "1 find openai_api parameters",
        ),
        (f'FIND = {{{PARTS}}}\nTOOL = {{"type": "function", "function": FIND}}\n', "1 find openai_api parameters"),
        (
            f'ALL = [\n    {{{PARTS}}}\n]\nTOOLS = [{{"type": "function", "function": one}} for one in ALL]\n',
            "2 find openai_api parameters",
        ),
        (f"ALL = [{{{PARTS}}}]\nask(functions=ALL)\n", "1 find openai_api parameters"),
        (
            f'TOOLS = {{"tools": {{"find": {{"description": "Find an order.", "input_schema": {ORDER}}}}}}}\n',
            "1 find openai_api parameters",
        ),
        (f"FIND = {{{PARTS}}}\n", "1 find openai_api parameters"),
        (f'TOOLS = {{"find": {{"call": find, "schema": {{{PARTS}}}}}}}\n', "1 find openai_api parameters"),
        (f'QUERY = {{"functions": [{{{PARTS}}}]}}\n', "1 find openai_api parameters"),
        (CHAT.replace(ORDER, "Find.model_json_schema()"), "1 find openai_api parameters"),
        (
            f'ai.register_tool(tool_name="find", tool_function=find, description="Find.", parameters_schema={ORDER})\n',
            "1 find openai_api parameters",
        ),
        (f'ai.register_tool("find", "Find an order.", {ORDER}, find)\n', "1 find openai_api parameters"),
        ('ai.register_tool("find", find, {}, "Find an order.")\n', "1 find openai_api parameters"),
        (f'tool_registry.add("find", "Find an order.", {ORDER}, find)\n', "1 find openai_api parameters"),
        (
            'tool_registry.add("find", "Find an order.", _schema({"order": text()}, ["order"]), find)\n',
            "1 find openai_api parameters",
        ),
        ('ai.register_tool("find", find, "Find an order.")\n', "1 find openai_api parameters"),
        (
            f'ACTIONS = {{"functions": [{{"name": "find", "description": "Find.", "parameters": {TOLD}}}]}}\n',
            "1 find openai_api parameters",
        ),
        ('ai.register_tool("find", "Find an order.", find)\n', "1 find openai_api parameters"),
        (
            'ai.add_tool(name="find", description="Find an order.", handler=lambda order: order)\n',
            "1 find openai_api parameters",
        ),
        (
            f'NAME = "find"\nNAME = "find"\nTOOL = {CHAT}\n'.replace('"name": "find"', '"name": NAME'),
            "3 find openai_api parameters",
        ),
        (
            f'ai.registerTool(name="find", callback=find, description="Find an order.", schema={ORDER})\n',
            "1 find openai_api parameters",
        ),
        (
            'ai.register_tool(name="find", description="Find.", parameters=parameters_of(find))\n',
            "1 find openai_api parameters",
        ),
        (
            f'def find(order): ...\nai.add_tool(func=find, description="Find.", parameters={ORDER})\n',
            "2 find openai_api parameters",
        ),
        (
            f'def find(order): ...\nself.add_tools(find, "Find an order.", {ORDER}, shop)\n',
            "2 find openai_api parameters",
        ),
        (
            f'def find(order): ...\nTOOL = {{"name": find.__name__, "description": "Find.", "parameters": {ORDER}}}\n',
            "2 find openai_api parameters",
        ),
        (
            f'@server.register(\n    name="find", description="Find.", input_schema={ORDER}\n)\ndef find(order): ...\n',
            "1 find openai_api parameters",
        ),
        (
            f'TOOLS = [Tool(name="find", description="Find.", parameters={ORDER}, run=find)]\n',
            "1 find openai_api parameters",
        ),
        (f'tools.register("find", "Find an order.", {ORDER})(find)\n', "1 find openai_api parameters"),
        (
            f'class Find(Tool):\n    def __init__(self):\n        super().__init__("find", "Find.", parameters={ORDER})\n',
            "3 find openai_api parameters",
        ),
        (f'tools = [AgentTool("find", "Find an order.", {ORDER}, find)]\n', "1 find openai_api parameters"),
        ('TOOLS = [{"name": "find", "description": "Find.", "func": find}]\n', "1 find openai_api parameters"),
        ('TOOLS = {"find": {"description": "Find.", "func": shop.find}}\n', "1 find openai_api parameters"),
        (
            'self.tools: list = [\n    {"name": "find", "description": "Find.", "function": lambda text: find(text)}\n]\n',
            "2 find openai_api parameters",
        ),
        (
            'def shop_tools():\n    return [{"name": "find", "description": "Find.", "fn": find, "params": ["order"]}]\n',
            "2 find openai_api parameters",
        ),
        (
            '@tools.register(name="find", description="Find.", params=["order"])\ndef search(order): ...\n',
            "1 find openai_api parameters",
        ),
        ('@ToolRegistry.register(description="Find.")\ndef find(order): ...\n', "1 find openai_api parameters"),
        (
            'async def listed_tools():\n    return {"find": {"description": "Find.", "handler": find}}\n',
            "2 find openai_api parameters",
        ),
        ('Agent(tools=({"name": "find", "description": "Find.", "run": find},))\n', "1 find openai_api parameters"),
        (f'{OBJECT}TOOL = ToolSpec("find", "Find.", "shop", find, ["order"])\n', "8 find openai_api ToolSpec"),
        (
            f'{OBJECT}TOOL = ToolSpec(name="find", description="Find.", handler="find.py")\n',
            "8 find openai_api ToolSpec",
        ),
        (
            OBJECT.replace("group: str", "parameters: dict")
            + f'TOOL = ToolSpec("find", "Find.", parameters={ORDER}, handler=find)\n',
            "8 find openai_api parameters",
        ),
        (f"TOOLS = [{BEDROCK}]\n", "1 find bedrock_api inputSchema"),
        (f'TOOLS = [{{"function_declarations": [{GEMINI}]}}]\n', "1 find gemini_api parameters"),
        (f"from google.genai import types\n\nFIND = types.{DECLARED}\n", "3 find gemini_api FunctionDeclaration"),
        (
            f"from vertexai.generative_models import FunctionDeclaration\nFIND = {DECLARED}\n",
            "2 find gemini_api FunctionDeclaration",
        ),
    ],
)
def test_a_definition_is_a_tool_where_it_is(text, tool, write, listed):
    write(tools=text)
    assert listed() == ([f"tools.py:{tool}"], [])


@pytest.mark.parametrize(
    "text",
    [
        'CHOICE = {"type": "function", "function": {"name": "find"}}\n',
        'CALLS = [{"type": "function", "function": {"name": "find", "arguments": "{}"}}]  # no parameters\n',
        'CALLED = {"type": "function", "name": "find", "call_id": "1", "arguments": "{}"}  # no parameters\n',
        f'"""Takes tools:\n\n    {CHAT}\n"""\n',
        f"def send(tool):\n    return {CHAT.replace(chr(34) + 'find' + chr(34), 'tool.name')}\n",
        f"def send(name):\n    return {CHAT.replace(chr(34) + 'find' + chr(34), 'name')}\n",
        f"assert sent() == [{CHAT}]\n",
        f"ask(tool_calls=[{CHAT}], response_format={FLAT}, tool_choice={FLAT})\n",
        f'CONFIG = {{"examples": [{CHAT}]}}\n',
        f'CONFIG = {{"examples": {{"find": {{"description": "Find.", "parameters": {ORDER}}}}}}}\n',
        'PATHS = {"get": {"description": "Find.", "parameters": [{"name": "order"}]}}\n',
        f"FIND = {{{PARTS}}}\n".replace('"description": "Find an order.", ', ""),
        f"FIND = {{{PARTS}}}\n".replace('"properties": ', '"order": '),
        'STEP = {"name": "find", "description": "Find.", "parameters": {"type": "shop", "order": 1}}\n',
        f"FIND = {{{PARTS.replace(chr(34) + 'find' + chr(34), 'tool.name')}}}\n",
        'NODE = {"type": "function", "name": "find", "parameters": ["order"]}\n',
        'STEP = {"type": "function", "name": "find", "parameters": {"order": 1}}\n',
        f"from google.genai import types\n\n\ndef send(tool):\n    return types.{DECLARED.replace(chr(34) + 'find' + chr(34), 'tool.name')}\n",
        f"FIND = {DECLARED}\n",
        f'ai.register_tool(name=tool.name, description="Find.", parameters={ORDER})\n',
        f'def register(name):\n    ai.register_tool(name=name, description="Find.", parameters={ORDER})\n',
        'ai.register(name="find", description="Find.", parameters=parameters_of(find))\n',
        f'ai.register_tool(name="find", parameters={ORDER})\n',
        f'def add(function):\n    ai.add_tool(function, "Find.", {ORDER})\n',
        f"for function in FUNCTIONS:\n    ai.add_tool(function, function.__doc__, {ORDER})\n",
        f'ai.add_to_index("find", "Find an order.", {ORDER})\n',
        f'ai.register(shop, "find", "Find an order.", {ORDER})\n',
        'ai.register("find", "Find an order.", {})\n',
        f'class Find(Form):\n    def __init__(self, name):\n        super().__init__(name, "Find.", {ORDER})\n',
        'TOOLS = [{"name": "find", "description": "Find.", "function": "find"}]\n',
        'TOOLS = [{"name": "find", "func": find}, {"description": "Find.", "func": find}]\n',
        '@toolbar.register(name="find", description="Find.")\ndef find(order): ...\n',
        '@tools.register(name="find")\ndef find(order): ...\n',
        'PAGES = [{"name": "find", "description": "Find.", "func": find}]\n',
        'def tools_of(name):\n    return [{"name": name, "description": "Find.", "func": find}]\n',
        f'{OBJECT}TOOL = ToolSpec("find", "Find.", "shop", None)\n',
        f'{OBJECT}def made(name):\n    return ToolSpec(name, "Find.", "shop", find)\n',
        f'{OBJECT.replace("ToolSpec", "Page")}PAGE = Page("find", "Find.", "shop", find)\n',
        'TOOL = ToolSpec(name="find", description="Find.", handler=find)  # of a package\n',
        'ai.register_tool("find", "Find an order.", {"order": 1})\n',
        'ai.register_tool("find", find)\n',
        'tool_registry.add("find", "Find an order.", find)\n',
        f'tool_pages.add("find", "Find an order.", {ORDER}, find)\n',
        'SHAPE = {"name": "find", "description": "Find.", "parameters": {"order": {"type": "string", "length": 3}}}\n',
        f'NAME = "find"\nNAME = "pay"\nTOOL = {CHAT}\n'.replace('"name": "find"', '"name": NAME'),
        f'shop.add_form(name="find", description="Find.", schema={ORDER})\n',
    ],
)
def test_what_resembles_a_definition_is_none(text, write, listed):
    write(tools=text)
    assert listed()[0] == []


@pytest.mark.parametrize("parameters", ["", ', "parameters": None'])
def test_a_definition_without_parameters_is_a_tool(parameters, write, listed):
    now = f'{{"type": "function", "function": {{"name": "now", "description": "Now."{parameters}}}}}'
    write(tools=f"TOOLS = [\n    {CHAT},\n    {now},\n]\n")
    assert listed()[0] == ["tools.py:2 find openai_api parameters", "tools.py:3 now openai_api parameters"]


def test_names_come_from_constants_also_in_another_file(write, listed):
    named = CHAT.replace('"find"', "names.FIND")
    write(names='FIND = "find_order"\n', tools=f"import names\n\nTOOLS = [{named}]\n")
    assert listed() == (["tools.py:3 find_order openai_api parameters"], [])


def test_the_name_that_only_subclasses_have_is_none(write, listed):
    computed = CHAT.replace('"find"', "self.name")
    write(tools=f'class Tool:\n    name = ""\n\n    def sent(self):\n        return {computed}\n')
    assert listed() == NOTHING


DECORATED = f"""
from fastmcp import FastMCP

mcp = FastMCP("shop")
SENT = [{CHAT}]


@mcp.tool
def find(order: str) -> str:
    return order
"""


def test_a_definition_of_what_a_decorator_makes_a_tool_is_the_same_tool(write, listed):
    write(server=DECORATED)
    assert listed() == (["server.py:9 find fastmcp decorator"], [])


def lint(*codes):
    command = ["lint", ".", "--static", "--no-cache", "--quiet", "--format", "concise", "--select", ",".join(codes)]
    return CliRunner().invoke(application(), command).stdout.splitlines()


def test_definitions_are_checked_like_other_tools(write):
    wrong = CHAT.replace('"find"', '"find order"').replace(', "description": "Its number."', "")
    required = BEDROCK.replace("}}}}}}", '}}, "required": ["shop"]}}}}')
    write(tools=f"TOOLS = [\n    {wrong},\n    {required},\n]\n")
    assert lint("TK101", "TK204", "TK303") == [
        "tools.py:3:5: error[TK303] tool 'find' requires 'shop', which its schema does not describe",
        "tools.py:2:5: error[TK101] invalid tool name 'find order': OpenAI, Anthropic, Gemini, Bedrock and Mistral refuse it",
        "tools.py:2:142: info[TK204] parameter 'order' of 'find order' has no description",
    ]


def test_types_of_gemini_in_capitals_are_valid(write):
    write(tools=f'TOOLS = [{{"function_declarations": [{GEMINI}]}}]\n')
    assert lint("TK3") == []


def test_tool_of_a_framework_that_a_call_defines_is_that_tool(write, listed):
    call = f'Tool(name="find", description="Find.", inputSchema={ORDER})'
    write(tools=f"from mcp.types import Tool\n\n\nasync def list_tools():\n    return [{call}]\n")
    assert [one.partition(" ")[2] for one in listed()[0]] == ["find mcp_sdk Tool"]


ROWS = f"""
{OBJECT}

def _row(name, description, run, *, schema=None):
    return (name, description, schema or {ORDER}, run)


ROWS = (_row("find_order", "Find an order.", find), _row("pay_order", run=pay, description="Pay an order."))
"""
MADE = "ToolSpec(name=name, description=description, handler=run) for name, description, schema, run in rows"


@pytest.mark.parametrize(("rows", "names"), [("rows.ROWS", ["find_order", "pay_order"]), ("rows.stored()", [])])
def test_objects_that_a_comprehension_makes_of_rows_are_tools(rows, names, write, listed):
    server = f"import rows\nfrom rows import ToolSpec\n\nTOOLS = (*[{MADE.replace('in rows', f'in {rows}')}],)\n"
    write(rows=ROWS, server=server)
    assert listed()[0] == [f"server.py:4 {name} openai_api ToolSpec" for name in names]


HELPER = f"""
class Agent:
    def __init__(self):
        self.tools = [
            self._declare("find", "Find an order.", {ORDER}),
            self._declare("pay", parameters={ORDER}, description="Pay an order."),
            self._declare(chosen(), "Send an order.", {ORDER}),
        ]

    def _declare(self, name, description, parameters):
        RETURNED
"""


@pytest.mark.parametrize(
    ("returned", "names"),
    [
        (
            f"return {{{PARTS}}}".replace('"find"', "name").replace(
                ORDER, "{'type': 'OBJECT', 'properties': parameters}"
            ),
            2,
        ),
        (f"return {CHAT}".replace('"find"', "name").replace(ORDER, "parameters"), 2),
        (f"self.made.append({CHAT})".replace('"find"', "name").replace(ORDER, "parameters"), 2),
        ('return {"name": name, "description": description, "rows": parameters}', 0),
        ('return {"name": self.name, "description": description, "parameters": parameters}', 0),
    ],
)
def test_definitions_that_a_helper_makes_of_its_arguments_are_tools(returned, names, write, listed):
    write(agent=HELPER.replace("RETURNED", returned))
    found = ["agent.py:5 find openai_api parameters", "agent.py:6 pay openai_api parameters"]
    assert listed()[0] == found[:names]


def test_table_of_a_project_may_call_the_description_a_summary(write, listed):
    entry = f'{{"name": "find", "op": "_find", "summary": "Find an order.", "parameters": {ORDER}}}'
    operation = '{"name": "find", "summary": "Find an order.", "parameters": [{"name": "order", "in": "query"}]}'
    write(tools=f"TOOLS: list[dict] = [\n    {entry},\n]\n", api=f"OPERATIONS = [{operation}]\n")
    assert listed()[0] == ["tools.py:2 find openai_api parameters"]
    found = CliRunner().invoke(application(), ["lint", "--static", "--profile", "all", "--format", "json", "tools.py"])
    assert "TK201" not in found.stdout


ROW = CHAT.replace('"find"', "NAME").replace('"Find an order."', "TEXT")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ROWS = [('find', 'Find.'), ('pay', 'Pay.')]\nTOOLS = [MADE for name, text in ROWS]\n", ["1 find", "1 pay"]),
        ("def made():\n    for name, text in [('find', 'Find.')]:\n        TOOLS.append(MADE)\n", ["2 find"]),
        ("ROWS = {'find': 'Find.'}\nTOOLS = [MADE for name, text in ROWS.items()]\n", ["1 find"]),
        ("TOOLS = [\n    MADE\n    for name, text in fetched()\n]\n", []),
        ("from rows import ROWS\n\nTOOLS = [MADE for name, text in ROWS]\n", []),
    ],
)
def test_definitions_that_a_loop_makes_of_rows_are_tools(text, names, write, listed):
    write(tools=text.replace("MADE", ROW.replace("NAME", "name").replace("TEXT", "text")))
    assert listed()[0] == [f"tools.py:{one} openai_api parameters" for one in names]


@pytest.mark.parametrize(("name", "expected"), [('row["name"]', "find"), ("f'shop_{row[\"name\"]}'", "shop_find")])
def test_name_of_a_definition_may_be_a_part_of_a_row(name, expected, write, listed):
    made = ROW.replace("NAME", name).replace("TEXT", 'row["text"]')
    write(tools=f"ROWS = [\n    {{'name': 'find', 'text': 'Find.'}},\n]\nTOOLS = [{made} for row in ROWS]\n")
    assert listed()[0] == [f"tools.py:2 {expected} openai_api parameters"]


TOLD = """
class Shop:
    def get_tool_definitions(self):
        return [
            {"name": "find", "description": "Find an order.", "parameters": {"order": "string: its number"}},
            {"name": "list_orders", "description": "List the orders.", "parameters": {}},
            {"name": "pay", "description": "Pay an order.", "parameters": {"type": "object"}},
        ]
"""


def test_table_of_tools_may_tell_in_texts_what_the_parameters_are(write, listed):
    write(shop=TOLD)
    assert listed()[0] == ["shop.py:5 find openai_api parameters"]
    for other in (
        TOLD.replace("get_tool_definitions", "get_pages"),
        TOLD.replace('"name": "find"', '"kind": "a", "name": "find"'),
    ):
        write(shop=other)
        assert listed() == NOTHING


def test_definition_of_cohere_is_a_tool(write, listed):
    function = 'ToolV2Function(name="find", description="Find an order.", parameters={})'
    write(shop=f'from cohere import ToolV2, ToolV2Function\n\nFIND = ToolV2(type="function", function={function})\n')
    assert listed()[0] == ["shop.py:3 find openai_api parameters"]


def test_registry_describes_what_a_file_is_named_after(write, listed):
    mark = '@registry.register(name="find_order", description="Find an order.")'
    text = f"def register_tools(registry):\n    {mark}\n    def find(order: str) -> str:\n        return order\n"
    write(math_tools=text, tools_in_shop=text, math_commands=text)
    assert listed()[0] == [
        "math_tools.py:2 find_order openai_api parameters",
        "tools/shop.py:2 find_order openai_api parameters",
    ]

"""Tools are found whose base class, decorator or server is in another file of the project."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

BASE = """
from smolagents import Tool


class Shop(Tool):
    output_type = "string"
    inputs = {}
"""
FIND = '''
class Find(Shop):
    name = "find"
    description = "Find an order by its number."

    def forward(self, order: str) -> str:
        """Find it."""
        return order
'''
FUNCTION = '''
def find(order: str) -> str:
    """Find an order by its number."""
    return order
'''
SERVER = '''
from fastmcp import FastMCP


class Shop(FastMCP):
    def __init__(self):
        super().__init__("shop")
        self.tool(self.find, name="find_order")
        self.add_tool(self.pay)

    def find(self, order: str) -> str:
        """Find an order by its number."""
        return order

    def pay(self, order: str) -> str:
        """Pay an order by its number."""
        return order
'''


def listed(*command):
    """Return the names and frameworks of the tools that `list --static` finds."""
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", *command])
    return [(one["name"], one["framework"]) for one in (json.loads(result.stdout) if result.stdout else [])]


def linted(*command):
    """Return the last line of `lint`."""
    return CliRunner().invoke(application(), ["lint", *command]).output.splitlines()[-1]


IMPORTS = [
    "from base import Shop\n",
    "from base import (\n    Shop,  # the base of all\n)\n",
    "import base\n\nShop = base.Shop\n\n\nclass Other(base.Shop): ...\n",
    "from base import *\n",
]


@pytest.mark.parametrize("imports", IMPORTS)
def test_class_is_a_tool_if_its_base_in_another_file_is(imports, write):
    write(base=BASE, tools=f"{imports}\n{FIND}")
    assert listed("tools.py") == [("find", "smolagents")]
    for mode in ((), ("--static",)):
        assert "(1 tool in 1 file: 1 smolagents" in linted("tools.py", "--no-cache", *mode)


def test_class_whose_base_is_reached_through_a_package_is_a_tool(write):
    write(shop_in_base=BASE, shop_in___init__="from .base import Shop\n", tools=f"from shop import Shop\n\n{FIND}")
    assert listed("tools.py") == [("find", "smolagents")]


FRAMEWORK = """
class Tool:
    def __call__(self, *args):
        return self.forward(*args)

    def forward(self, *args): ...
"""


@pytest.mark.parametrize("folder", ["src_in_smolagents_in_", "shop_in_vendor_in_smolagents_in_"])
def test_class_in_the_source_of_a_framework_is_a_tool_if_its_base_is_the_frameworks(folder, write):
    piped = "from .tools import Tool\n\n\nclass PipelineTool(Tool):\n    name = 'pipeline'\n    description = 'Run.'\n"
    pay = "from .pipes import PipelineTool\n\n\nclass Pay(PipelineTool):\n    name = 'pay'\n    description = 'Pay.'\n"
    files = {"__init__": "", "inner_in___init__": "", "tools": FRAMEWORK, "pipes": piped, "more": pay}
    files["default_tools"] = f"from .tools import Tool\n{FIND.replace('Shop', 'Tool')}"
    files["inner_in_deep"] = f"from ..tools import Tool\n{FIND.replace('Shop', 'Tool').replace('find', 'look')}"
    write(**{f"{folder}{name}": text for name, text in files.items()})
    assert listed(".") == [("find", "smolagents"), ("look", "smolagents"), ("pay", "smolagents")]
    assert "(3 tools in 3 files: 3 smolagents" in linted(".", "--no-cache")


def test_class_in_a_folder_with_the_name_of_a_framework_is_no_tool_if_its_base_cannot_run(write):
    base = FRAMEWORK.replace("forward", "render")
    write(
        smolagents_in___init__="",
        smolagents_in_tools=base,
        smolagents_in_find=f"from .tools import Tool\n{FIND.replace('Shop', 'Tool')}",
    )
    assert listed(".") == []


@pytest.mark.parametrize("start", ["from .base", "from ..base", "from shop.base"])
def test_class_whose_base_is_imported_relatively_is_a_tool(start, write):
    home = "shop_in_deep_in_find" if ".." in start else "shop_in_find"
    base = "from smolagents import Tool as Tool\n"
    write(shop_in_base=base, shop_in___init__="", **{home: f"{start} import Tool\n{FIND.replace('Shop', 'Tool')}"})
    assert listed(".") == [("find", "smolagents")]


def test_class_with_a_base_that_is_no_tool_is_none(write):
    write(base=BASE.replace("(Tool)", ""), tools=f"from base import Shop\n\n{FIND}")
    assert listed("tools.py") == []


@pytest.mark.parametrize("folder", ["", "src_in_"])
def test_decorator_that_the_project_reexports_is_followed_from_any_folder(folder, write):
    write(**{f"{folder}shop_in___init__": "from agents import function_tool as action\n"})
    write(examples_in_run=f"from shop import action\n\n\n@action\n{FUNCTION.lstrip()}")
    assert listed("examples") == [("find", "openai_agents")]


def test_methods_that_a_server_registers_of_itself_are_tools(write):
    write(server=SERVER)
    assert listed("server.py") == [("find_order", "fastmcp"), ("pay", "fastmcp")]


def test_change_of_a_base_class_is_noticed_by_the_cache(write):
    write(base=BASE.replace("(Tool)", ""), tools=f"from base import Shop\n\n{FIND}")
    assert "no tools" in linted("tools.py")
    write(base=BASE)
    assert "1 tool in 1 file" in linted("tools.py")


def test_every_tool_that_a_list_may_have_is_found(write):
    functions = "".join(f"{FUNCTION}".replace("find", name) for name in ("save", "load", "count", "copy"))
    agent = """
from more import MORE
from langgraph.prebuilt import create_react_agent


def build(model, is_admin):
    tools = [find, *MORE]
    if is_admin:
        tools.append(save)
        tools += [load]
    tools.extend([count] if is_admin else [])
    return create_react_agent(model, tools + [copy])
"""
    write(agent=f"{FUNCTION}{functions}{agent}", more=f"{FUNCTION.replace('find', 'send')}\n\nMORE = (send,)\n")
    assert [name for name, _ in listed("agent.py")] == ["find", "save", "load", "count", "copy", "send"]


def test_program_of_a_package_is_read_whether_or_not_importing_it_starts_something(write):
    server = f"from fastmcp import FastMCP\n\nmcp = FastMCP('shop')\n\n\n@mcp.tool{FUNCTION}"
    write(shop_in___init__="", shop_in___main__=f"{server}\nif __name__ == '__main__':\n    mcp.run()\n")
    assert listed() == [("find", "fastmcp")]
    write(shop_in___main__=f"{server}\nmcp.run()\n")
    assert listed() == [("find", "fastmcp")]


def test_function_of_another_file_is_checked_alike_when_its_server_is_imported(write):
    tool = FUNCTION.replace("order: str", "order: str, unit: str").replace(
        "number.", "number.\n\n    Args:\n        order: It.\n"
    )
    write(
        server="from mcp.server.mcpserver import MCPServer\n\nmcp = MCPServer('shop')\nimport finding\n",
        finding=f"from server import mcp\n\n\n@mcp.tool(){tool}",
    )
    wanted = ["finding.py:5:22: warning[TK401] 'find' never reads its parameter 'unit'"]
    for paths in (["."], ["server.py", "finding.py"], [".", "--static"]):
        command = ["lint", "--no-cache", "--quiet", "--profile", "recommended", "--format", "concise", *paths]
        assert CliRunner().invoke(application(), command).stdout.splitlines() == wanted


def test_functions_that_a_loop_takes_from_a_module_by_name_are_tools(write):
    server = "from fastmcp import FastMCP\nimport shop\n\nmcp = FastMCP('shop')\nfor name in shop.__all__:\n    mcp.tool(getattr(shop, name))\n"
    write(shop_in___init__="from .finding import find\n\n__all__ = ['find']\n", shop_in_finding=FUNCTION, server=server)
    assert listed("server.py") == [("find", "fastmcp")]


def test_class_in_a_function_that_imports_its_base_is_a_tool(write):
    lines = (
        f"try:\n    from smolagents import Tool\nexcept ImportError:\n    return []\n{BASE.partition('Tool')[2]}{FIND}"
    )
    write(tools="def make():\n" + "".join(f"    {line}\n" for line in [*lines.splitlines(), "return [Find()]"]))
    assert listed("tools.py") == [("find", "smolagents")]


CLERK = "from google.adk.agents import Agent\n\n{0}\n\nclerk = Agent(name='clerk', tools=[{1}])\n"


def test_module_beside_a_file_is_found_as_when_the_file_is_run(write):
    write(shop_in___init__="", shop_in_finding=FUNCTION, shop_in_clerk=CLERK.format("from finding import find", "find"))
    assert listed("shop/clerk.py") == [("find", "google_adk")]


def test_relative_import_is_followed_in_a_folder_that_is_no_package(write):
    clerk = CLERK.format("from ...finding import find", "find")
    write(shop_in___init__="", shop_in_finding=FUNCTION, shop_in_staff_in_desk_in_clerk=clerk)
    assert listed("shop/staff") == [("find", "google_adk")]


def test_tools_that_a_class_gives_the_agent_that_it_is_are_found(write):
    clerk = """
from google.adk.agents import Agent
from finding import find


class Clerk(Agent):
    def __init__(self, model):
        super().__init__(model=model, name="clerk", tools=[find])
"""
    write(finding=FUNCTION, clerk=clerk)
    assert listed("clerk.py") == [("find", "google_adk")]


def test_function_of_several_agents_is_one_tool(write):
    clerk = "from google.adk.agents import Agent\nfrom google.adk.tools import FunctionTool\n"
    agents = "".join(f"\n{name} = Agent(name='{name}', tools=[FunctionTool(find)])\n" for name in ("first", "second"))
    write(clerk=f"{clerk}{FUNCTION}{agents}")
    assert listed("clerk.py") == [("find", "google_adk")]
    assert "(1 tool in 1 file: 1 Google ADK" in linted("clerk.py", "--static", "--no-cache")


def test_agent_that_is_a_tool_gives_it_its_name(write):
    clerk = "from google.adk.tools import AgentTool\nfrom staff import finder\n\ntool = AgentTool(agent=finder)\n"
    write(staff="from google.adk.agents import Agent\n\nfinder = Agent(name='finder', model='m')\n", clerk=clerk)
    assert listed("clerk.py") == [("finder", "google_adk")]


def test_module_that_is_a_tool_need_not_import_its_framework(write):
    spec = "TOOL_SPEC = {'name': 'find', 'description': 'Find an order.', 'inputSchema': {'json': {}}}\n"
    write(find=f"{spec}\n\ndef find(tool, **kwargs):\n    return tool\n", other=spec)
    assert listed(".") == [("find", "strands")]


def test_class_that_changes_a_tool_of_the_framework_is_one_without_a_known_name(write):
    read = "from crewai_tools import FileReadTool\n\n\nclass Read(FileReadTool):\n    def _run(self, path: str) -> str:\n        return path\n"
    write(read=read)
    assert listed("read.py") == [(None, "crewai")]


AGENT = """
from abc import ABC, abstractmethod
from llama_index.core.agent.workflow import FunctionAgent


class Clerk(ABC):
    def __init__(self):
        self.tools = self.get_tools()
        self.agent = FunctionAgent(name="clerk", tools=self.tools)

    @abstractmethod
    def get_tools(self): ...
"""
FINDER = """
from staff.base import Clerk
from finding import find


class Finder(Clerk):
    def get_tools(self):
        return [find, self.count]

    def count(self) -> int:
        return 1
"""


def test_tools_that_subclasses_in_other_files_give_an_agent_are_found(write):
    write(staff_in___init__="", staff_in_base=AGENT, staff_in_finder=FINDER, finding=FUNCTION)
    assert listed(".") == [("find", "llama_index"), ("count", "llama_index")]


def test_new_subclass_is_noticed_by_the_cache(write):
    write(staff_in___init__="", staff_in_base=AGENT, finding=FUNCTION)
    assert "no tools" in linted(".", "--static")
    write(staff_in_finder=FINDER)
    assert "(2 tools in 2 files: 2 LlamaIndex" in linted(".", "--static")


def test_functions_that_a_call_makes_for_a_list_have_the_names_that_it_sets(write):
    clerk = """
from google.adk.agents import Agent


def make(name):
    def ask(question: str) -> str:
        return question

    ask.__name__ = {0}
    return ask


first = make("first")
second = make("second")
clerk = Agent(name="clerk", tools=[first, second])
"""
    write(clerk=clerk.format("f'ask_{name}'"))
    assert listed("clerk.py") == [(None, "google_adk"), (None, "google_adk")]
    write(clerk=clerk.format("'ask_it'"))
    assert listed("clerk.py") == [("ask_it", "google_adk")]


OWN_AGENTS = """
class Agent:
    def as_tool(self, tool_name):
        return tool_name


def function_tool(function):
    return function
"""
USER = f"from agents import Agent, function_tool\n\ntool = Agent().as_tool('ask')\n\n\n@function_tool{FUNCTION}"


@pytest.mark.parametrize("home", ["agents", "agents_in___init__", "src_in_agents"])
def test_package_of_the_project_is_not_the_framework_with_its_name(home, write):
    write(**{home: OWN_AGENTS}, tools=USER)
    assert listed("tools.py") == []
    assert linted("tools.py", "--static", "--no-cache").startswith("Found 1 warning in 1 file. (no tools")


def test_module_in_a_folder_without_an_init_file_is_the_projects_if_it_has_the_name(write):
    write(agents_in_desk="class Agent: ...\n", tools="from agents.desk import Agent\n\nAgent().as_tool('ask')\n")
    assert listed("tools.py") == []


def test_framework_is_recognized_beside_a_package_of_the_project_with_its_name(write):
    write(agents_in_desk="from agents import Agent, function_tool\n", tools=USER)
    assert listed("tools.py") == [("ask", "openai_agents"), ("find", "openai_agents")]


def test_checkout_of_a_framework_has_the_framework_itself(write):
    write('[project]\nname = "openai-agents"\n', src_in_agents_in___init__=OWN_AGENTS, examples_in_tools=USER)
    assert listed("examples/tools.py") == [("ask", "openai_agents"), ("find", "openai_agents")]


def test_instances_of_a_class_have_the_names_that_they_are_given(write):
    agent = """
from finding import Find

first = Find()
other = Find()
other.name = "find_again"
other.description = "Find it again."
"""
    write(base=BASE, finding=f"from base import Shop\n\n{FIND}", agent=agent)
    assert listed(".") == [("find_again", "smolagents"), ("find", "smolagents")]


GATED = """
from langchain_core.tools import BaseTool


class Gated(BaseTool):
    def _run(self, order: str) -> str:
        return order
"""


def test_base_class_without_a_name_is_no_tool_if_others_are_derived_from_it(write):
    pay = "from gates import Gated\n\n\nclass Pay(Gated):\n    name: str = 'pay'\n    description: str = 'Pay an order.'\n"
    write(gates=GATED, paying=pay)
    assert listed(".") == [("pay", "langchain")]


def test_class_without_a_name_is_a_tool_wherever_a_call_names_it(write):
    write(gates=GATED, desk="from gates import Gated\n\ntools = [Gated(name='pay', description='Pay an order.')]\n")
    assert listed(".") == [("pay", "langchain")]
    write(desk="from gates import Gated\n\n\ndef gate(tool):\n    return Gated(name=tool.name)\n")
    assert listed(".") == []
    write(desk="")
    assert listed(".") == [(None, "langchain")]


def test_class_that_receives_its_name_has_the_default_or_none(write):
    init = "    def __init__(self, name={0}):\n        super().__init__(name=name)\n\n    def _run"
    write(gates=GATED.replace("    def _run", init.format("'pay'")))
    assert listed(".") == [("pay", "langchain")]
    write(gates=GATED.replace("    def _run", init.format("None")), desk="from gates import Gated\n\nGated('refund')\n")
    assert listed(".") == [("refund", "langchain")]


def test_class_of_pydantic_is_the_tool_whose_parameters_are_its_fields(write):
    questions = "from pydantic import BaseModel\n\n\nclass Asked(BaseModel):\n    pass\n\n\nclass Question(Asked):\n    text: str\n"
    clerk = "from langchain_core.tools import tool\nfrom questions import Question\n\ntools = [tool(Question)]\n"
    write(questions=questions, clerk=clerk)
    assert listed(".") == [("Question", "langchain")]
    named = clerk.replace("tool(Question)", "StructuredTool.from_function(Question, name='ask')")
    write(questions=questions, clerk=named.replace("import tool", "import StructuredTool"))
    assert listed(".") == [("ask", "langchain")]
    write(questions=questions.replace("(BaseModel)", ""), clerk=clerk)
    assert listed(".") == []


def test_marked_function_inside_another_one_is_one_tool(write):
    clerk = """
def build(model):
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    @tool
    def find(order: str) -> str:
        return order

    tools = [find]
    return create_agent(model=model, tools=tools)
"""
    write(clerk=clerk)
    assert listed("clerk.py") == [("find", "langchain")]


CARELESS = """
import requests


class Shop:
    def find(self, order):
        return requests.get(f"https://shop.example/orders/{order}").text


def find(order):
    return requests.get(f"https://shop.example/orders/{order}").text
"""
REGISTERING = {
    "a list of an agent": "from google.adk.agents import Agent\nfrom careless import find\n\nclerk = Agent(name='clerk', tools=[find])\n",
    "a call": "from fastmcp import FastMCP\nfrom careless import find\n\nmcp = FastMCP('shop')\nmcp.tool(find)\n",
    "a bound method": "from fastmcp import FastMCP\nfrom careless import Shop\n\nmcp = FastMCP('shop')\nshop = Shop()\nmcp.tool(shop.find)\n",
    "a factory": "from langchain_core.tools import StructuredTool\nfrom careless import find\n\n\ndef make(name):\n    return StructuredTool.from_function(find, name=name)\n\n\nfinder = make('find')\n",
}


def found_in(*command):
    result = CliRunner().invoke(application(), ["lint", "--no-cache", "--format", "json", *command])
    return [(one["code"], one["location"]["file"], one["location"]["line"]) for one in json.loads(result.stdout)]


@pytest.mark.parametrize("mode", [(), ("--static",)], ids=["not installed", "static"])
@pytest.mark.parametrize("way", REGISTERING)
def test_function_of_another_file_is_checked_where_it_is(way, mode, write):
    write(careless=CARELESS, shop=REGISTERING[way])
    line = 6 if way == "a bound method" else 10
    found = found_in(*mode, "--select", "TK201,TK204,TK301,TK410", "shop.py")
    assert [one for one in found if one[0] != "TK201"] == [
        ("TK204", "careless.py", line),
        ("TK301", "careless.py", line),
        ("TK410", "careless.py", line + 1),
    ]
    is_known = way != "a factory"  # which may add a description
    assert [one for one in found if one[0] == "TK201"] == [("TK201", "careless.py", line)] * is_known


def test_comment_in_the_file_of_a_function_counts_for_what_another_one_makes_of_it(write):
    silent = CARELESS.replace("def find(order):", "def find(order):  # toolkit: ignore[TK201, TK204, TK301]")
    write(careless=silent, shop=REGISTERING["a call"])
    assert found_in("--static", "--select", "TK201,TK204,TK301", ".") == []


def test_hidden_character_is_removed_in_the_file_of_the_function(write):
    write(careless=FUNCTION.replace("order by", "order\u200b by"), shop=REGISTERING["a call"])
    CliRunner().invoke(application(), ["lint", "--static", "--fix", "--no-cache", "."])
    assert Path("careless.py").read_text("utf-8") == FUNCTION
    assert Path("shop.py").read_text("utf-8") == REGISTERING["a call"]


def test_function_of_agents_in_several_files_is_one_tool(write):
    write(finding=FUNCTION, first=CLERK.format("from finding import find", "find"))
    write(second=CLERK.format("from finding import find", "find"))
    assert listed(".") == [("find", "google_adk")]
    assert "(1 tool in 1 file: 1 Google ADK" in linted(".", "--static", "--no-cache")


@pytest.mark.parametrize(("given", "name"), [('"find_order"', "find_order"), ("chosen()", None)])
def test_function_has_the_name_that_its_file_gives_it(given, name, write):
    write(
        shop=f"{FUNCTION}\n\nfind.__name__ = {given}\n",
        server="from fastmcp import FastMCP\nfrom shop import find\n\nserver = FastMCP('shop')\nserver.add_tool(find)\n",
    )
    assert listed("server.py") == [(name, "fastmcp")]


REGISTERED = '''
def register(mcp):
    @mcp.tool()
    def find(order: str) -> str:
        """Find an order by its number."""
        return order
'''
MAIN = "from {package} import FastMCP\nfrom {module} import register\n\nserver = FastMCP('shop')\nregister(server)\n"


@pytest.mark.parametrize(
    ("package", "framework"), [("mcp.server.fastmcp", "mcp_sdk"), ("fastmcp", "fastmcp")], ids=["sdk", "fastmcp"]
)
def test_server_that_a_function_receives_is_that_of_the_files_that_import_it(package, framework, write):
    write(shop=REGISTERED, main=MAIN.format(package=package, module="shop"))
    assert listed("shop.py") == [("find", framework)]
    other = {"fastmcp": "mcp.server.fastmcp"}.get(package, "fastmcp")
    write(another=MAIN.format(package=other, module="elsewhere"), elsewhere=REGISTERED)
    assert listed("shop.py") == [("find", framework)]
    write(main=f"from {package} import FastMCP\n", another="", elsewhere="")
    assert listed("shop.py") == [("find", framework)]


@pytest.mark.parametrize(("given", "name"), [('"Find Order"', "Find Order"), ("chosen()", None)])
def test_tool_has_the_name_that_its_file_gives_it(given, name, write):
    made = f"found = tool(find)\nfound.name = {given}\n"
    write(tools=f"from langchain_core.tools import tool\n{FUNCTION}\n\n{made}")
    assert listed("tools.py") == [(name, "langchain")]


def test_function_in_the_lists_of_agents_of_several_files_is_one_tool(write):
    agent = "from langchain.agents import create_agent\n{}\n\nagent = create_agent(model=None, tools=[find])\n"
    write(first=agent.format(FUNCTION), second=agent.format("from first import find"))
    assert listed(".") == [("find", "langchain")]
    assert listed("second.py") == [("find", "langchain")]


@pytest.mark.parametrize("given", ["[find]", "order_tools"])
def test_functions_that_any_chat_model_binds_are_tools(given, write):
    model = "from langchain_openai import ChatOpenAI\n"
    bound = f"order_tools = [find]\nbound = ChatOpenAI().bind_tools({given})\n\n\ndef order_tools(state): ...\n"
    write(tools=f"{model}{FUNCTION}\n\n{bound}")
    assert listed("tools.py") == [("find", "langchain")]


OWN_REGISTRY = """
FOUND = {}


def tool(description, group="general", name=None):
    def register(function):
        FOUND[name or function.__name__] = Kept(function, sent(function, description))
        return function

    return register


def sent(function, description):
    properties = properties_of(function)
    return DEFINITION
"""
DECORATED = """
from registry import tool


@tool("Find an order of the shop by its number.")
def find(order: str): ...


@tool("Pay an order of the shop by its number.", "money", "pay_order")
def pay(order: str): ...
"""
SCHEMA = '{"type": "object", "properties": properties}'


@pytest.mark.parametrize(
    ("definition", "framework"),
    [
        (f'{{"name": function.__name__, "description": description, "parameters": {SCHEMA}}}', "openai_api"),
        (f'{{"name": function.__name__, "description": description, "input_schema": {SCHEMA}}}', "anthropic_sdk"),
        (f'{{"name": "find", "description": description, "parameters": {SCHEMA}}}', "others"),
        ("[function, description, properties]", "others"),
    ],
)
def test_functions_that_a_registry_describes_in_requests_are_tools(definition, framework, write):
    write(registry=OWN_REGISTRY.replace("DEFINITION", definition), shop=DECORATED)
    found = [f"shop.py:6 find {framework}", f"shop.py:10 pay_order {framework}"]
    listed = json.loads(CliRunner().invoke(application(), ["list", ".", "--static", "--format", "json"]).stdout or "[]")
    assert [
        f"{one['path']}:{one['line']} {one['name']} {one['framework']}" for one in listed if one["path"] == "shop.py"
    ] == found
    command = ["lint", ".", "--static", "--no-cache", "--select", "TK201,TK202", "--format", "json"]
    assert {one["code"] for one in json.loads(CliRunner().invoke(application(), command).stdout)} <= {"TK004"}


def test_models_that_any_chat_model_binds_are_tools_with_their_fields(write):
    models = (
        "from pydantic import BaseModel\n\n\nclass Find(BaseModel):\n    order: str\n\n\n"
        'class Pay(Find):\n    """Pay an order of the shop."""\n\n    amount: float\n'
    )
    bound = "from langchain_openai import ChatOpenAI\nfrom models import *\n\nbound = ChatOpenAI().bind_tools(tools=[Find, Pay])\n"
    write(models=models, tools=bound)
    assert listed("tools.py") == [("Find", "langchain"), ("Pay", "langchain")]
    write(
        tools=f"{models}\n\nfrom langchain_openai import ChatOpenAI\n\nbound = ChatOpenAI().bind_tools([Find, Pay])\n"
    )
    command = ["lint", "tools.py", "--static", "--no-cache", "--select", "TK2", "--format", "json"]
    found = json.loads(CliRunner().invoke(application(), command).stdout)
    assert [(one["code"], one["message"], one["location"]["line"]) for one in found] == [
        ("TK201", "tool 'Find' has no description", 4),
        ("TK204", "parameter 'order' of 'Find' has no description", 5),
        ("TK204", "parameter 'amount' of 'Pay' has no description", 11),
    ]


@pytest.mark.parametrize("home", ["shop-tools", "packages/shop", "libs/shop/src"])
def test_functions_of_another_package_in_the_repository_are_followed(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for folder, project in ((home, home.removesuffix("/src")), ("apps/clerk/src", "apps/clerk")):
        (tmp_path / folder / "shop_of_mine").mkdir(parents=True)
        (tmp_path / project / "pyproject.toml").write_text("[project]\n", "utf-8")
    (tmp_path / home / "shop_of_mine" / "orders.py").write_text(FUNCTION, "utf-8")
    (tmp_path / "apps/clerk/src/shop_of_mine").rmdir()
    agent = "from shop_of_mine.orders import find\nfrom langchain.agents import create_agent\n\ncreate_agent(None, tools=[find])\n"
    (tmp_path / "apps/clerk/src/clerk.py").write_text(agent, "utf-8")
    assert listed("apps") == [("find", "langchain")]


MADE = """
from fastmcp import FastMCP
from fastmcp.tools import FunctionTool
from search import client

server = FastMCP("search")
server.add_tool(FunctionTool.from_function(client.cat.health))
server.add_tool(FunctionTool.from_function(client.ping, name="is_there"))
server.add_tool(client.tool)
for one in client.all:
    server.add_tool(FunctionTool.from_function(one.describe))
FunctionTool.from_function(client.tool.fn)
"""


def test_method_of_an_object_of_another_package_gives_a_tool_its_name(write):
    write(server=MADE)
    assert listed("server.py") == [("health", "fastmcp"), ("is_there", "fastmcp")]


MIXIN = """
import sys, fastmcp
from fastmcp.contrib.mcp_mixin import MCPMixin, mcp_tool


class Shop(MCPMixin):
    @mcp_tool()
    def find(self, order: str) -> str:
        return order

    @mcp_tool(name="pay_order")
    def pay(self, order: str) -> str:
        return order
"""


def test_methods_of_a_mixin_are_tools(write):
    write(server=MIXIN)
    assert listed("server.py") == [("find", "fastmcp"), ("pay_order", "fastmcp")]


REGISTRY = """
class Registry:
    def __init__(self):
        self.kept = {}

    def tool(self, *, description, parameters):
        def decorate(function):
            self.kept[function.__name__] = Kept(function.__name__, description, parameters)
            return function

        return decorate

    def requests(self):
        return [
            {"name": one.name, "description": one.description, "parameters": one.parameters}
            for one in self.kept.values()
        ]
"""
AUTOMATIC = """
from kept.registry import Registry


def auto_tool(registry: Registry):
    def decorate(function):
        registry.tool(description=function.__doc__, parameters={})(function)
        return function

    return decorate
"""


def test_decorator_that_calls_that_of_a_registry_makes_tools(tmp_path, write):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "__init__.py").write_text("", "utf-8")
    (tmp_path / "kept" / "registry.py").write_text(REGISTRY, "utf-8")
    shop = f"from automatic import auto_tool\nfrom kept.registry import Registry\n\nshop = Registry()\n\n\n@auto_tool(shop){FUNCTION}"
    write(automatic=AUTOMATIC, shop=shop)
    assert listed("shop.py") == [("find", "openai_api")]


def test_functions_in_a_table_that_a_function_returns_are_tools(write):
    tables = f"def shop_tools():{FUNCTION.replace(chr(10), chr(10) + '    ')}\n    return {{'find': find}}\n"
    text = (
        "from pydantic_ai import FunctionToolset\nfrom tables import shop_tools\n\n"
        "toolset = FunctionToolset()\nfor one in shop_tools().values():\n    toolset.tool_plain(one)\n"
    )
    write(tables=tables, shop=text)
    assert listed("shop.py") == [("find", "pydantic_ai")]


def test_functions_in_a_list_of_a_file_that_no_other_one_imports_are_tools(write):
    write(recipe=f"{FUNCTION}\n\nTOOLS = [find]\n")
    assert listed("recipe.py") == [("find", "others")]
    write(recipe=f"{FUNCTION}\n\nTOOLS = [find]\n", program="from recipe import TOOLS\n\nrun(TOOLS)\n")
    assert listed("recipe.py") == []


@pytest.mark.parametrize("around", ["", "src"])
def test_module_in_a_folder_between_a_file_and_its_repository_is_followed(around, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "api" / around / "graphs").mkdir(parents=True)
    (tmp_path / "api" / around / "orders.py").write_text(FUNCTION, "utf-8")
    agent = "from orders import find\nfrom langchain.agents import create_agent\n\ncreate_agent(None, tools=[find])\n"
    (tmp_path / "api" / around / "graphs" / "clerk.py").write_text(agent, "utf-8")
    assert listed("api") == [("find", "langchain")]


@pytest.mark.parametrize(
    ("launch", "names"),
    [("demo.launch(mcp_server=True)", ["find"]), ('CODE = """demo.launch(mcp_server=True)"""', [])],
)
def test_app_is_a_server_if_its_code_says_so_and_not_if_a_text_does(launch, names, write):
    write(app=f"import gradio as gr\n{FUNCTION}\n\ndemo = gr.Interface(find)\n{launch}\n")
    assert [name for name, _ in listed("app.py")] == names

"""Tools of other frameworks are linted from their source, in the words of their frameworks, with nothing installed."""

import json

import pytest
from typer.testing import CliRunner

from toolkit.source_code.import_decisions import Recogniser  # private
from toolkit_cli.main import application

SERVER = '''
from fastmcp import Context, FastMCP
from pydantic import Field
from typing import Annotated

mcp = FastMCP("shop")


@mcp.tool
def look_up(order: str, ctx: Context) -> str:
    """Look up an order of the shop by the number that is printed on it.

    Args:
        order: The number of the order.
    """
    return order


@mcp.tool(name="cancel", annotations={"destructiveHint": True})
async def cancel_order(order: str, reason: Annotated[str, Field(description="Why it is cancelled.")]) -> str:
    """Cancel an order that was not sent yet, and say whether that was possible."""
    return order + reason


@mcp.tool(description=read("delete.md"))
def delete_customer(customer) -> str:
    return customers.remove(customer)


mcp.tool(name=PREFIX + "x")(look_up)
'''

LANGCHAIN = '''
from langchain_core.tools import BaseTool, tool
from langchain_core.tools import InjectedToolCallId
from pydantic import BaseModel, Field
from typing import Annotated


@tool
def delete_note(note: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Delete one of the notes that were written down before, by its number."""
    return store.delete(note, tool_call_id)


class SearchInput(BaseModel):
    query: str
    limit: int = Field(default=10, description="How many notes at most.")


class Search(BaseTool):
    name: str = "search_notes"
    description: str = "short"
    args_schema: type[BaseModel] = SearchInput

    def _run(self, query: str, limit: int) -> str:
        return query * limit
'''


def linted(*arguments):
    result = CliRunner().invoke(
        application(), ["lint", "--no-cache", "--profile", "all", "--format", "concise", *arguments]
    )
    return result.stdout.splitlines()


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(SERVER, "utf-8")
    (tmp_path / "notes.py").write_text(LANGCHAIN, "utf-8")
    return tmp_path


FOUND = [
    "notes.py:9:5: error[TK506] tool 'delete_note' has a name that says it can delete something, but is not marked as destructive or as requiring approval",
    "notes.py:9:17: info[TK204] parameter 'note' of 'delete_note' has no description",
    "notes.py:15:5: info[TK204] parameter 'query' of 'search_notes' has no description",
    "notes.py:21:25: warning[TK202] the description of 'search_notes' is very short",
    "shop.py:20:24: info[TK204] parameter 'order' of 'cancel' has no description",
    "shop.py:26:5: error[TK506] tool 'delete_customer' has a name that says it can delete something, but is not marked as destructive or as requiring approval",
    "shop.py:26:21: info[TK204] parameter 'customer' of 'delete_customer' has no description",
    "shop.py:26:21: warning[TK301] parameter 'customer' of 'delete_customer' has no type",
]


def test_each_finding_stands_at_the_function_or_parameter(project):
    *found, last = linted("--static", ".")
    assert found == FOUND
    assert last.startswith(
        "Found 2 errors, 2 warnings and 4 notes in 2 files. (6 tools in 2 files: 4 FastMCP, 2 LangChain; read, not run;"
    )


def test_files_of_frameworks_that_are_not_installed_are_read_and_not_imported(project):
    *found, last = linted(".")
    assert found == FOUND
    assert last == (
        "Found 2 errors, 2 warnings and 4 notes in 2 files. (6 tools in 2 files: 4 FastMCP, 2 LangChain; 2 Python files read, 0 run)"
    )


def test_named_file_of_a_framework_that_is_not_installed_is_checked_too(project):
    assert linted("notes.py")[:4] == FOUND[:4]


def test_hints_are_in_the_words_of_the_framework_and_no_fix_for_our_marks_is_offered(project):
    result = CliRunner().invoke(application(), ["lint", "--static", "--no-cache", "--diff", "--unsafe-fixes", "."])
    assert result.stdout == ""
    text = CliRunner().invoke(application(), ["lint", "--static", "--no-cache", "--profile", "all", "."]).stdout
    hints = [line for line in text.splitlines() if line.startswith("hint: ")]
    assert hints == [
        "hint: write HumanInTheLoopMiddleware(interrupt_on={'delete_note': True}) in the agent",
        "hint: write Annotated[…, '…'], or parse_docstring=True and an 'Args:' section",
        "hint: write Field(description='…')",
        "hint: say what it does, when to use it, and what it returns",
        "hint: write Annotated[…, Field(description='…')]",
        "hint: write annotations={'destructiveHint': True}",
        "hint: write Annotated[…, Field(description='…')]",
        "hint: annotate it: customer: str",
    ]


def test_comments_at_the_decorator_or_at_the_function_silence_findings(project):
    comment = "  # toolkit: ignore[TK506, TK204, TK301]"
    at_mark = SERVER.replace(
        '@mcp.tool(description=read("delete.md"))', f'@mcp.tool(description=read("delete.md")){comment}'
    )
    (project / "shop.py").write_text(at_mark, "utf-8")
    assert linted("--static", "shop.py")[:-1] == [FOUND[4]]
    at_function = SERVER.replace(
        "def delete_customer(customer) -> str:", f"def delete_customer(customer) -> str:{comment}"
    )
    (project / "shop.py").write_text(at_function, "utf-8")
    assert linted("--static", "shop.py")[:-1] == [FOUND[4]]


def test_names_with_spaces_are_right_for_a_framework_that_rewrites_them(project):
    crew = 'from crewai.tools import tool\n\n\n@tool("Search the notes")\ndef search(query: str) -> str:\n    """Search all notes for some words, and return those that fit best.\n\n    Args:\n        query: The words.\n    """\n    return query\n'
    (project / "crew.py").write_text(crew, "utf-8")
    assert linted("--static", "crew.py")[0].startswith("All checks passed!")


def test_results_of_other_frameworks_and_classes_without_a_name_are_taken_as_they_are(project):
    strands = (
        "from strands.types.tools import AgentTool\n\n\nclass Remote(AgentTool):\n"
        "    async def stream(self, use: int) -> AsyncGenerator[int, None]:\n        yield use\n"
    )
    crew = "import requests\nfrom crewai.tools import BaseTool\n\n\nclass Page(BaseTool):\n    name: str = name_of()\n\n    def _run(self) -> str:\n        return requests.get('https://example.org').text\n"
    (project / "remote.py").write_text(strands, "utf-8")
    (project / "page.py").write_text(crew, "utf-8")
    assert not [line for line in linted("--static", "remote.py") if "TK402" in line]
    assert (
        linted("--static", "page.py")[0]
        == "page.py:9:16: warning[TK410] tool 'Page' waits for 'requests.get' without a timeout"
    )


UNREAD = '''
from fastmcp import FastMCP

mcp = FastMCP("shop")


@mcp.tool
def cancel(order: str, reason: str) -> str:
    """Cancel an order of the shop by its number.

    Args:
        order: The number of the order.
        reason: Why it is cancelled.
    """
    try:
        return order.strip()
    except Exception as error:
        return f"Error: {error}"
'''


def test_hints_name_nothing_that_a_framework_refuses_or_lacks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(UNREAD, "utf-8")
    asked = ["lint", "--no-cache", "--static", "--select", "TK4", "--format", "json", "shop.py"]
    found = json.loads(CliRunner().invoke(application(), asked).stdout)
    assert {problem["code"]: problem["hint"] for problem in found} == {
        "TK401": "use it, or remove it",
        "TK408": "let the exception propagate, so that the framework reports it as an error",
    }


def test_hint_for_an_agent_that_exceptions_end_says_what_to_return(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '''from google.adk.agents import Agent


def save(order: str) -> dict:
    """Save an order."""
    try:
        shop.save(order)
        return {"status": "success"}
    except Exception:
        return {"status": "success"}


agent = Agent(name="shop", tools=[save])
'''
    (tmp_path / "shop.py").write_text(text, "utf-8")
    asked = ["lint", "--no-cache", "--static", "--select", "TK408", "--format", "json", "shop.py"]
    found = json.loads(CliRunner().invoke(application(), asked).stdout)
    assert [one["hint"] for one in found] == [
        "return {'status': 'error', 'error_message': '…'}, since an exception ends the run of the agent"
    ]


@pytest.mark.parametrize(("first", "is_usual"), [("shop.save(order)", False), ("order = order.strip()", True)])
def test_step_that_may_fail_after_another_call_is_not_recommended(tmp_path, monkeypatch, first, is_usual):
    monkeypatch.chdir(tmp_path)
    text = f"""
from fastmcp import FastMCP

server = FastMCP("shop")


@server.tool
def save(order: str) -> dict:
    {first}
    try:
        mail.tell(order)
    except Exception as error:
        log.warning(error)
    return {{"status": "success"}}
"""
    (tmp_path / "shop.py").write_text(text, "utf-8")
    for profile, is_reported in (("essential", False), ("recommended", is_usual), ("all", True)):
        asked = ["lint", "--no-cache", "--static", "--profile", profile, "--format", "json", "shop.py"]
        found = json.loads(CliRunner().invoke(application(), asked).stdout)
        assert ("TK408" in [one["code"] for one in found]) == is_reported


def test_module_with_the_definition_of_its_tool_is_checked_by_what_the_definition_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "forecast.py").write_text(
        """
from strands.types.tools import ToolResult, ToolUse

SCHEMA = {"type": "object", "properties": {"date": {"type": "string"}, "city": {"type": "string", "description": "The city."}}, "required": ["date"]}
TOOL_SPEC = {"name": "forecast", "description": "Weather.", "inputSchema": {"json": SCHEMA}}


def forecast(tool: ToolUse, **kwargs) -> ToolResult:
    return {"toolUseId": tool["toolUseId"], "status": "success", "content": weather.of(tool)}
""",
        "utf-8",
    )
    assert linted("--static", "--quiet", "forecast.py") == [
        "forecast.py:4:44: warning[TK204] parameter 'date' of 'forecast' has no description",
        "forecast.py:5:50: warning[TK202] the description of 'forecast' is very short",
    ]
    assert Recogniser().defines_tools(str(tmp_path / "forecast.py"))


SHOWN = {
    "types by name": (
        (
            "from claude_agent_sdk import tool\n"
            "@tool('forecast', 'Forecast the weather of a city on one of the next days.', {'city': str})\n"
            "async def forecast(args) -> dict[str, object]:\n"
            "    return {'content': [{'type': 'text', 'text': args['city']}]}\n"
        ),
        ["2:79: city: write a JSON Schema with a 'description' for each property"],
    ),
    "a model as the schema of a function": (
        (
            "from langchain_core.tools import tool\n"
            "from pydantic import BaseModel, Field\n"
            "class Discount(BaseModel):\n"
            "    percent: int = Field(description='How much is taken off')\n"
            "    code: str\n"
            "@tool(args_schema=Discount)\n"
            "def discount(percent: int, code: str) -> str:\n"
            "    '''Set the discount of the day, for everybody.'''\n"
            "    return f'{percent} {code}'\n"
        ),
        ["5:5: code: write Field(description='…')"],
    ),
    "the one text of a tool": (
        (
            "from langchain_core.tools import Tool\n"
            "search = Tool(name='search', description='Search the catalogue of the shop.', func=lambda text: text)\n"
        ),
        ["2:10: __arg1: write Field(description='…')"],
    ),
    "parameters that the state of the agent fills": (
        (
            "from haystack.tools import tool\n"
            "@tool(inputs_from_state={'customer': 'whom'})\n"
            "def greet(words: str, whom: str) -> str:\n"
            "    '''Greet the customer who is logged in.'''\n"
            "    return words + whom\n"
        ),
        ["3:11: words: write Annotated[…, '…']"],
    ),
    "the fields of the only parameter": (
        (
            "from pydantic import BaseModel, Field\n"
            "from pydantic_ai import Tool\n"
            "class Order(BaseModel):\n"
            "    amount: int = Field(description='In euros')\n"
            "    to: str\n"
            "def pay(order: Order) -> str:\n"
            "    '''Pay something every month, from now on.'''\n"
            "    return f'{order.amount} to {order.to}'\n"
            "monthly = Tool(pay, name='monthly')\n"
        ),
        ["5:5: to: write Field(description='…')"],
    ),
    "a docstring that is not sent": (
        (
            "from mcp.server.fastmcp import FastMCP\n"
            "mcp = FastMCP('x')\n"
            "@mcp.tool(description='Forecast the weather of a city on one of the next days.')\n"
            "def forecast(city: str) -> str:\n"
            "    '''Forecast.\n\n    Args:\n        city: A town.\n    '''\n"
            "    return city\n"
        ),
        ["4:14: city: write Annotated[…, Field(description='…')]; what the docstring says about it is not sent"],
    ),
    "functions that are handed over": (
        (
            "from toolkit import from_function\n"
            "def forecast(city: str) -> str:\n"
            "    '''Forecast the weather of a city on one of the next days.'''\n"
            "    return city\n"
            "TOOLS = [from_function(forecast, read_only=True)]\n"
        ),
        ["2:14: city: add 'city: …' under 'Args:' in the docstring, or write Annotated[…, '…']"],
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_source_shows_which_parameters_have_no_description(name, tmp_path, monkeypatch):
    text, expected = SHOWN[name]
    (tmp_path / "tools.py").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    words = ["lint", "--static", "--select", "TK204", "--format", "json", "tools.py"]
    found = json.loads(CliRunner().invoke(application(), words).stdout)
    assert [
        f"{one['location']['line']}:{one['location']['column']}: {one['message'].split(chr(39))[1]}: {one['hint']}"
        for one in found
    ] == expected


PROGRAM = '''
from pathlib import Path

from fastmcp import FastMCP
from toolkit import tool

mcp = FastMCP("shop")


@mcp.tool
def find(order):
    """Find an order of the shop."""


@tool
def pay(order):
    """Pay for an order of the shop."""


Path("ran").touch()
'''


@pytest.mark.parametrize("arguments", [(), ("--static",)])
def test_program_of_a_package_is_read_and_not_imported(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__main__.py").write_text(PROGRAM, "utf-8")
    found = [line.split(" ")[0] for line in linted("--select", "TK204", ".", *arguments)]
    assert found[:-1] == ["shop/__main__.py:11:10:", "shop/__main__.py:16:9:"]
    assert not (tmp_path / "ran").exists()


def test_tools_of_the_program_of_a_package_are_listed_from_its_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__main__.py").write_text(PROGRAM, "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json", "."])
    tools = [f"{one['line']} {one['name']} {one['framework']}" for one in json.loads(result.stdout)]
    assert tools == ["11 find fastmcp", "16 pay toolkit"]

"""What lint says of tools of other frameworks is in the words of the framework, whatever rule says it."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

BODY = '''
    """{long}"""
    try:
        return requests.get(url).text + str(a) + str(b) + str(c)
    except Exception:
        return "Could not do it."
'''
PARAMETERS = "url: str, order, items: list, a: bool, b: bool, c: bool, kind: str = None, path: str = 'x'"
FUNCTION = f"def delete_everything({PARAMETERS}):{BODY.format(long='Delete everything. ' * 80)}"
METHOD = "\n".join(f"    {line}" for line in FUNCTION.replace("(", "(self, ", 1).splitlines())
NEAR = 'def {name}(x: str):\n    """Delete one of the orders, by the number that is printed on it."""\n    print(x)\n'


def decorated(header, mark, footer=""):
    return "\n".join(
        [
            header,
            "import requests",
            "",
            mark,
            FUNCTION,
            mark,
            NEAR.format(name="run"),
            mark,
            NEAR.format(name="go"),
            footer,
        ]
    )


def given(header, wrapped):
    return "\n".join([header, "import requests", "", FUNCTION, NEAR.format(name="run"), wrapped])


MODULES = {
    "FastMCP": decorated("from fastmcp import FastMCP\nmcp = FastMCP('x')", "@mcp.tool", "mcp.run()"),
    "MCP SDK": decorated(
        "from mcp.server.mcpserver import MCPServer\nmcp = MCPServer('x')", "@mcp.tool()", "mcp.run()"
    ),
    "MCP SDK 1": decorated("from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')", "@mcp.tool", "mcp.run()"),
    "LangChain": decorated("from langchain_core.tools import tool", "@tool"),
    "LangChain classes": "\n".join(
        [
            "from langchain_core.tools import BaseTool",
            "import requests",
            "class Delete(BaseTool):",
            "    name: str = 'delete'",
            "    description: str = 'Delete.'",
            METHOD.replace("delete_everything", "_run"),
        ]
    ),
    "pydantic-ai": decorated("from pydantic_ai import Agent\nagent = Agent('test')", "@agent.tool_plain"),
    "OpenAI Agents": decorated("from agents import function_tool", "@function_tool"),
    "Anthropic SDK": decorated("from anthropic import beta_tool", "@beta_tool"),
    "Claude Agent SDK": decorated("from claude_agent_sdk import tool", "@tool('delete', 'Delete.', {'url': str})"),
    "smolagents": decorated("from smolagents import tool", "@tool"),
    "LlamaIndex": given(
        "from llama_index.core.tools import FunctionTool",
        "tools = [FunctionTool.from_defaults(delete_everything), FunctionTool.from_defaults(run)]",
    ),
    "Haystack": decorated("from haystack.tools import tool", "@tool"),
    "Strands": decorated("from strands import tool", "@tool"),
    "Google ADK": given(
        "from google.adk.agents import Agent", "root_agent = Agent(name='x', tools=[delete_everything, run])"
    ),
    "CrewAI": decorated("from crewai.tools import tool", "@tool"),
    "Semantic Kernel": decorated("from semantic_kernel.functions import kernel_function", "@kernel_function"),
    "AutoGen": given(
        "from autogen_core.tools import FunctionTool",
        "tools = [FunctionTool(delete_everything, description='x'), FunctionTool(run, description='Run it.')]",
    ),
}
OURS = ("@tool(", "`@tool`", "`examples`", "ToolResult.", "ToolExecutionError", "web_scrape", "requires_approval or")


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize("name", MODULES)
def test_hints_never_name_what_only_our_tools_have(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(MODULES[name], "utf-8")
    arguments = [
        "lint",
        "--static",
        "--no-cache",
        "--profile",
        "all",
        "--format",
        "json",
        "--provider",
        "portable,mcp",
        "tools.py",
    ]
    found = json.loads(CliRunner().invoke(application(), arguments).stdout)
    assert {"TK408", "TK410"} <= {one["code"] for one in found}
    assert [one["hint"] for one in found if one["hint"] and any(ours in one["hint"] for ours in OURS)] == []


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize("name", MODULES)
def test_only_fixes_that_suit_every_framework_are_offered(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(MODULES[name], "utf-8")
    arguments = ["lint", "--static", "--no-cache", "--format", "json", "tools.py"]
    found = json.loads(CliRunner().invoke(application(), arguments).stdout)
    assert {one["code"] for one in found if one["fix"]} <= {"TK313", "TK404", "TK407", "TK501"}


def test_file_without_tools_is_spoken_of_in_the_words_of_its_framework(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").write_text(
        "from fastmcp import FastMCP\n\n\ndef forecast(city: str) -> str: ...\n", "utf-8"
    )
    (tmp_path / "plain.py").write_text("def forecast(city: str) -> str: ...\n", "utf-8")
    arguments = ["lint", "--static", "--no-cache", "--format", "json", "server.py", "plain.py"]
    found = json.loads(CliRunner().invoke(application(), arguments).stdout)
    assert [(one["location"]["file"], one["hint"]) for one in found] == [
        ("plain.py", "mark a function with `@tool`"),
        ("server.py", "no function in it is registered as a tool of FastMCP"),
    ]


def test_handlers_that_return_the_envelope_of_their_framework_need_no_type(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(MODULES["Claude Agent SDK"], "utf-8")
    arguments = ["lint", "--static", "--no-cache", "--select", "TK403", "--format", "json", "tools.py"]
    assert json.loads(CliRunner().invoke(application(), arguments).stdout) == []


FAILED_RESULTS = """
{imports}

{mark}
def read(path: str) -> dict:
    '''Read a file of the project, and return what it holds.

    Args:
        path: The file.
    '''
    try:
        return {{"content": [{{"text": open("file.txt").read()}}]}}
    except Exception as error:
        return {result}
"""
STRANDS = {"imports": "from strands import tool", "mark": "@tool"}
CLAUDE = {
    "imports": "from claude_agent_sdk import tool",
    "mark": "@tool('read', 'Read a file of the project.', {'path': str})",
}


@pytest.mark.parametrize(
    ("framework", "result", "is_reported"),
    [
        (STRANDS, '{"status": "error", "content": [{"text": str(error)}]}', False),
        (STRANDS, '{"toolUseId": "1", "status": "error", "content": [{"text": f"Error: {error}"}]}', False),
        (STRANDS, '{"status": "error", "message": str(error)}', True),
        (STRANDS, 'f"Error: {error}"', True),
        (CLAUDE, '{"content": [], "is_error": True, "error": str(error)}', False),
        (CLAUDE, '{"content": [], "is_error": False, "error": str(error)}', True),
    ],
)
def test_a_failed_result_in_the_form_of_its_framework_is_no_swallowed_error(
    framework, result, is_reported, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(FAILED_RESULTS.format(result=result, **framework), "utf-8")
    arguments = ["lint", "--static", "--no-cache", "--format", "json", "--select", "TK408", "tools.py"]
    found = json.loads(CliRunner().invoke(application(), arguments).stdout)
    assert [one["code"] for one in found] == ["TK408"] * is_reported

"""What lint says of imported tools is in the words of their framework, as what it says of their source is."""

import json
import re

import pytest

from tests.frameworks.sessions import Session
from tests.lint.test_framework_terms import MODULES, OURS

pytestmark = pytest.mark.proof

ENVIRONMENTS = {
    "FastMCP": "fastmcp4",
    "MCP SDK": "mcp2",
    "MCP SDK 1": "mcp1",
    "LangChain": "agents",
    "LangChain classes": "agents",
    "pydantic-ai": "agents",
    "OpenAI Agents": "agents",
    "Anthropic SDK": "anthropic",
    "Claude Agent SDK": "anthropic",
    "smolagents": "others",
    "LlamaIndex": "others",
    "Haystack": "others",
    "Strands": "others",
    "Google ADK": "others",
    "AutoGen": "others",
    "CrewAI": "crewai",
    "Semantic Kernel": "semantic_kernel",
}
CHANGES = {
    "url: str, order,": "url: str, order: str,",
    "kind: str = None": "kind: str | None = None",
    "'x'):": "'x') -> str:",
    "(x: str):": "(x: str) -> str:",
    "requests": "httpx",
    "@mcp.tool\n": "@mcp.tool()\n",
    "\nmcp.run()": "\nif __name__ == '__main__':\n    mcp.run()",
}
NAMES = ("url", "order", "items", "a", "b", "c", "kind", "path", "x")
DESCRIPTIONS = "".join(f"        {name}: What is meant.\n" for name in NAMES)


def test_every_framework_is_imported():
    assert ENVIRONMENTS.keys() == MODULES.keys()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_hints_about_imported_tools_are_those_about_their_source(name, environment, tmp_path):
    text = importable(MODULES[name])
    (tmp_path / "tools.py").write_text(text, "utf-8")
    commands = [f"toolkit lint --no-cache --profile all --format json {option} tools.py" for option in ("", "--static")]
    printed = Session(tmp_path / "session.txt", (), (), "").printed(commands, environment(ENVIRONMENTS[name]))
    imported, read = (json.loads(one.out) for one in printed)
    assert [one for one in imported if one["code"] in {"TK002", "TK003"}] == []
    assert [one["hint"] for one in imported if one["hint"] and any(ours in one["hint"] for ours in OURS)] == []
    assert {one["code"] for one in imported if one["fix"]} <= {"TK313", "TK404", "TK407", "TK501"}
    known = hints(read)
    assert hints(imported).keys() & known.keys()
    assert {place: hint for place, hint in hints(imported).items() if place in known and known[place] != hint} == {}


def importable(text):
    """Return a module without what some frameworks refuse: a missing type, description or call, and a missing package."""
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    return re.sub(r'"""(.+?)"""', rf'"""\1\n\n    Args:\n{DESCRIPTIONS}    """', text) if "smolagents" in text else text


def hints(found):
    """Return the hints of findings by code, message and place, without the version that only the source depends on."""
    return {
        (one["code"], one["message"], one["location"]["line"], one["location"]["column"]): (
            one["hint"] and one["hint"].partition(", according to the installed version")[0].partition("; FastMCP")[0]
        )
        for one in found
        if one["location"]
    }

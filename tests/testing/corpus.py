"""The planted defects and their sound twins, and what `toolkit test` says of them."""

import json
from pathlib import Path

CASES = Path(__file__).parent / "cases"
KINDS = {
    "accepted": "invalid-accepted",
    "changed": "arguments-changed",
    "crash": "crash",
    "exit": "exit",
    "hang": "hang",
    "json": "no-json",
    "leak": "leak",
    "output": "output",
    "refused": "valid-refused",
    "size": "result-size",
    "type": "result-type",
    "unstable": "unstable",
}
"""What a planted defect is, by the first word of its tool's name."""
HERE = ("toolkit", "mcp_sdk", "pydantic_ai", "anthropic_sdk")
"""The frameworks that are installed wherever the tests run."""
ELSEWHERE = {"langchain": "agents", "crewai": "crewai", "fastmcp": "fastmcp3"}
"""The others, with the environments that have them."""
WITHOUT_MARKS = {"pydantic_ai", "anthropic_sdk", "langchain", "crewai"}
"""Frameworks whose tools cannot be marked as read-only."""


def command(framework, kind):
    """Return the arguments that test one file of the corpus."""
    approved = ["--approve", "*"] if framework in WITHOUT_MARKS else []
    return ["test", f"{kind}.py", "--format", "json", "--timeout", "4s", "--no-cache", *approved]


def found_in(printed):
    """Return the kinds of findings of each tool that was called."""
    return {
        tool["name"]: {finding["kind"] for finding in tool["findings"]}
        for tool in json.loads(printed)["tools"]
        if not tool["not_called"]
    }


def missed(found):
    """Return the tools whose planted defect was not found."""
    return [name for name, kinds in found.items() if KINDS[name.split("_", 1)[0]] not in kinds]

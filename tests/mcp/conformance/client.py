"""What the conformance suite starts as a client: `toolkit`, on the server whose address comes last."""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkit_cli.main import main

LIST = ["list", "peer"]
COMMANDS = {
    "tools_call": ["run", "peer.add_numbers", "a=5", "b=3"],
    "sse-retry": ["run", "peer.test_reconnection"],
    "http-invalid-tool-headers": ["run", "peer.valid_tool", "region=north"],
    "http-standard-headers": ["run", "peer.test_headers"],
}
"""What is done in a scenario that does not say itself which tools are called."""


def called(name, arguments):
    """Return the command that calls a tool."""
    return ["run", f"peer.{name}", "--args", json.dumps(arguments)]


def toolkit(*words):
    """Run a command on the server, allowed beforehand."""
    return main([*words, "--start", "peer", *(["--yes"] if words[0] == "run" else [])])


def commands_for(scenario, context):
    """Return what is done in a scenario."""
    if "toolCalls" in context:
        return [called(call["name"], call["arguments"]) for call in context["toolCalls"]]
    return [COMMANDS.get(scenario, LIST)]


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        Path(folder, "toolkit.toml").write_text(f"[mcp.peer]\nurl = '{sys.argv[-1]}'\n", "utf-8")
        os.chdir(folder)
        context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
        for command in commands_for(os.environ["MCP_CONFORMANCE_SCENARIO"], context):
            toolkit(*command)

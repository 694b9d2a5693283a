"""Converts the Claude Agent SDK's tools; see `claude_agent_sdk/__init__.py` of claude-agent-sdk 0.2."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.mcp_sdk.sdk_sessions import conversation, listed
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.frameworks.wire_tools import as_json, wire_tool
from toolkit.problems import Problem
from toolkit.running import run_coroutine

FRAMEWORK = "claude_agent_sdk"
VERSIONS = Versions("claude-agent-sdk", (0, 1))


def tools_of_tool(tool: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the Tool of an `SdkMcpTool`, as listed by the server that the SDK creates for Claude."""
    server = import_module("claude_agent_sdk").create_sdk_mcp_server(tool.name, tools=[tool])["instance"]
    [wire] = run_coroutine(partial(listed, server))
    yield wire_tool(
        as_json(wire),
        partial(conversation, server),
        framework=FRAMEWORK,
        server=tool.name,
        thing=tool,
        function=tool.handler,
    )


CLASSES = {"claude_agent_sdk.SdkMcpTool": ForeignClass(tools_of_tool)}

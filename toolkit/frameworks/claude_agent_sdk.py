"""The Claude Agent SDK: `@tool`, and servers of such tools created by `create_sdk_mcp_server`.

See `claude_agent_sdk/__init__.py` of claude-agent-sdk 0.2.
"""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.exported_calls import (
    annotations_of,
    contents_of,
    context_of_agent,
    definition_of,
    imported,
    record_export,
)
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.mcp_sdk import conversation, listed
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.frameworks.wire_tools import as_json, wire_tool
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.foreign.source_marks import Demands, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="Claude Agent SDK",
    packages=("claude_agent_sdk",),
    classes=("claude_agent_sdk.SdkMcpTool",),
    registrations=(
        Registration(
            ("claude_agent_sdk.tool",),
            name=(0, "name"),
            description=(1, "description"),
            schema=(2, "input_schema"),
            takes_call=True,
        ),
        Registration(
            ("claude_agent_sdk.SdkMcpTool",),
            "definition",
            function=("handler", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("input_schema", 2),
            takes_call=True,
        ),
    ),
    terms=Terms(
        description="the second argument",
        parameter="a JSON Schema with a 'description' for each property",
        member="a JSON Schema with a 'description' for each property",
        effects="annotations=ToolAnnotations(destructiveHint=True)",
        declared=("annotations",),
        failure="return {'content': […], 'is_error': True}",
        failed=("is_error", True),
    ),
    demands=Demands(calls=("claude_agent_sdk.tool",), envelope=True),
)


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


def to_claude_agent_sdk(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as an `SdkMcpTool`: `create_sdk_mcp_server("shop", tools=[to_claude_agent_sdk(tool)])`.

    A failed call returns a result with `is_error`; attachments become content blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If the SDK is not installed.
    """
    sdk = imported("claude_agent_sdk", "SdkMcpTool", package="claude-agent-sdk", wanted_by="to_claude_agent_sdk")
    handed = context_of_agent(context)

    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await tool.call(arguments, handed)
        return {"content": contents_of(result), "is_error": not result.succeeded}

    record_export(handle, tool)
    schema = definition_of(tool)["inputSchema"]
    return sdk.SdkMcpTool(tool.name, tool.description, schema, handle, annotations_of(tool))

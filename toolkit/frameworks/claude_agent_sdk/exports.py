"""Exports a Tool to Claude Code through the Claude Agent SDK."""

from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.frameworks.wire_exports import annotations_of, contents_of, definition_of
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


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

"""Exports to the Claude Agent SDK: a Tool of ours for Claude Code."""

from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, stands_for
from toolkit.frameworks.wire_exports import annotations_of, contents_of, definition_of
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


def to_claude_agent_sdk(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as an `SdkMcpTool`: `create_sdk_mcp_server("shop", tools=[to_claude_agent_sdk(tool)])`.

    A failure is an answer with `is_error`, and attachments are blocks of its content.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: What every call is handed: the reviewer, the policy, values. The model counts as who chose the call.

    Raises:
        ConfigurationError: If the SDK is not installed.
    """
    sdk = imported("claude_agent_sdk", "SdkMcpTool", package="claude-agent-sdk", wanted_by="to_claude_agent_sdk")
    handed = context_of_agent(context)

    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await tool.call(arguments, handed)
        return {"content": contents_of(result), "is_error": not result.succeeded}

    stands_for(handle, tool)
    schema = definition_of(tool)["inputSchema"]
    return sdk.SdkMcpTool(tool.name, tool.description, schema, handle, annotations_of(tool))

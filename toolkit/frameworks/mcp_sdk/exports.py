"""Exports a Tool to a server of the MCP SDK."""

from importlib import import_module
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.frameworks.wire_exports import annotations_of, answer_of, definition_of
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


def to_mcp_sdk(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `Tool` of the MCP SDK (version 1 or 2): `MCPServer("shop", tools=[to_mcp_sdk(tool)])`.

    A failed call returns a result with `isError`; attachments become content blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If the SDK is not installed.
    """
    sdk = imported("mcp", "types", package="mcp", wanted_by="to_mcp_sdk")
    theirs = import_module("mcp.server.mcpserver.tools" if hasattr(sdk, "Client") else "mcp.server.fastmcp.tools")
    handed = context_of_agent(context)

    class ExportedTool(theirs.Tool):  # type: ignore[misc, name-defined]  # whatever version is installed
        async def run(self, arguments: dict[str, Any], *_context: Any, **_options: Any) -> Any:
            return answer_of(await tool.call(arguments, handed))

    record_export(ExportedTool, tool)
    made = theirs.Tool.from_function(_nothing, name=tool.name, description=tool.description, structured_output=False)
    definition = {"parameters": definition_of(tool)["inputSchema"], "annotations": annotations_of(tool)}
    return ExportedTool.model_construct(**{**vars(made), **definition})


def _nothing() -> None:
    """Placeholder for the function that the SDK inspects; schema and call come from the Tool."""

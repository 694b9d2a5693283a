"""Exports a Tool to a FastMCP server."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.frameworks.wire_exports import annotations_of, answer_of, definition_of
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


def to_fastmcp(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a FastMCP `Tool` (versions 2 to 4), for servers: `server.add_tool(to_fastmcp(tool))`.

    A failed call returns a result with `isError`; attachments become content blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If FastMCP is not installed.
    """
    theirs = imported("fastmcp.tools", "Tool", package="fastmcp", wanted_by="to_fastmcp")
    result_kind = import_module(theirs.Tool.__module__).ToolResult
    failure = import_module("fastmcp.exceptions").ToolError
    handed = context_of_agent(context)

    class ExportedTool(theirs.Tool):  # type: ignore[misc, name-defined]  # whatever version is installed
        async def run(self, arguments: dict[str, Any]) -> Any:
            result = await tool.call(arguments, handed)
            if not result.succeeded:
                raise failure(result.error)
            structured = result.structured if isinstance(result.structured, Mapping) else None
            return result_kind(content=answer_of(result).content, structured_content=structured)

    record_export(ExportedTool, tool)
    return ExportedTool(
        name=tool.name,
        description=tool.description,
        parameters=definition_of(tool)["inputSchema"],
        annotations=annotations_of(tool),
    )

"""Converts a Tool and its results to the types of the Model Context Protocol (MCP)."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from toolkit.dialects import export
from toolkit.tools.attachments import Attachment, attachments_in, block_of, pieces_of
from toolkit.tools.base import Tool
from toolkit.tools.results import ToolResult


def definition_of(tool: Tool) -> dict[str, Any]:
    """Return the JSON definition of a tool: `name`, `description`, `inputSchema`, `annotations`."""
    return export(tool.spec, "mcp").definition


def annotations_of(tool: Tool) -> Any:
    """Return the hints of a tool as the SDK's `ToolAnnotations`, or None if it has no hints."""
    hints = definition_of(tool).get("annotations")
    return import_module("mcp.types").ToolAnnotations.model_validate(hints) if hints else None


def answer_of(result: ToolResult) -> Any:
    """Return a result as the SDK's `CallToolResult`."""
    answer: dict[str, Any] = {"content": contents_of(result), "isError": not result.succeeded}
    if isinstance(result.structured, Mapping):
        answer["structuredContent"] = result.structured
    return import_module("mcp.types").CallToolResult.model_validate(answer)


def contents_of(result: ToolResult) -> list[dict[str, Any]]:
    """Return the text and the attachments of a result as JSON content blocks."""
    text = result.output if result.error is None else result.error
    pieces = pieces_of(text, attachments_in(result.artifact))
    return [block_of(piece) if isinstance(piece, Attachment) else {"type": "text", "text": piece} for piece in pieces]

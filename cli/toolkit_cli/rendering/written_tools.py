"""Renders tools that were found by reading source files, without importing them."""

from collections.abc import Iterable
from typing import Any

from toolkit.source_code.written_tools import WrittenTool
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

UNKNOWN = "(known at runtime)"


def listed_written(tools: Iterable[WrittenTool], width: int) -> list[Line]:
    """Return a table of tools: name, framework, how the tool is registered, and its location."""
    rows = [
        (
            UNKNOWN if tool.name is None else one_line(tool.name),
            tool.marks.title,
            tool.kind,
            f"{shown_path(tool.path)}:{tool.node.lineno}",
        )
        for tool in tools
    ]
    return table(("NAME", "FRAMEWORK", "KIND", "PLACE"), rows, width)


def written_record(tool: WrittenTool) -> dict[str, Any]:
    """Return a tool as plain data; `name` is null if it is only known at runtime."""
    return {
        "path": shown_path(tool.path),
        "line": tool.node.lineno,
        "name": tool.name,
        "framework": tool.framework,
        "kind": tool.kind,
    }

"""Written tools as people and programs read them: what the source of some files shows, with nothing imported."""

from collections.abc import Iterable
from typing import Any

from toolkit.sources.written_tools import WrittenTool
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

UNKNOWN = "(known at runtime)"


def listed_written(tools: Iterable[WrittenTool], width: int) -> list[Line]:
    """Return a table of tools: name, framework, how each is registered, and where."""
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
    """Return one tool as plain data; `name` is null where only running the file shows it."""
    return {
        "path": shown_path(tool.path),
        "line": tool.node.lineno,
        "name": tool.name,
        "framework": tool.framework,
        "kind": tool.kind,
    }

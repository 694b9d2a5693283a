"""Tools of the protocol (MCP): what a definition on the wire has beside name, description and schemas."""

from collections.abc import Mapping
from typing import Any

_MOST_ICONS = 10
_LONGEST_ICON = 100_000
_SCHEMES = ("https:", "data:image/")

_MARKS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def presentation_of(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a tool's `metadata` holds for MCP: its title and icons, so that they are passed on.

    Icons are addresses, which clients fetch or show: others than `https:` and pictures in `data:` are left out.

    Args:
        wire: The tool, as JSON has it.
    """
    title = wire.get("title") or (wire.get("annotations") or {}).get("title")
    icons = [
        icon
        for icon in wire.get("icons") or ()
        if icon["src"].startswith(_SCHEMES) and len(icon["src"]) <= _LONGEST_ICON
    ]
    fields = {"title": title, "icons": icons[:_MOST_ICONS]}
    shown = {key: value for key, value in fields.items() if value}
    return {"mcp": shown} if shown else {}


def marks_of(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the marks that the hints of a tool stand for; what they say nothing of is left out.

    Args:
        wire: The tool, as JSON has it.
    """
    hints = wire.get("annotations") or {}
    marks = {ours: hints[theirs] for theirs, ours in _MARKS.items() if hints.get(theirs) is not None}
    if marks.get("read_only"):
        marks.pop("destructive", None)  # it means nothing beside that
    return marks

"""Reads the title, icons and hints of a tool definition in MCP."""

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
    """Return the `metadata` for MCP, with the title and icons of a tool, so that they are passed on.

    Icons are URLs that clients load: only `https:` URLs and images in `data:` URLs are included.

    Args:
        wire: The tool definition in JSON form.
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
    """Convert the hints of a tool to marks; missing hints are omitted.

    Args:
        wire: The tool definition in JSON form.
    """
    hints = wire.get("annotations") or {}
    marks = {ours: hints[theirs] for theirs, ours in _MARKS.items() if hints.get(theirs) is not None}
    if marks.get("read_only"):
        marks.pop("destructive", None)  # has no meaning for a read-only tool
    return marks

"""Presentation: how a server wants a tool of its own to be shown to people: its title and its icons."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_types import Tool as WireTool

_MOST_ICONS = 10
_LONGEST_ICON = 100_000
_SCHEMES = ("https:", "data:image/")


def presentation_of(wire: "WireTool") -> Mapping[str, Any]:
    """Return what a tool's `metadata` holds for MCP: its title and icons, so that they are passed on.

    Icons are addresses, which clients fetch or show: others than `https:` and pictures in `data:` are left out.
    """
    title = wire.title or (wire.annotations.title if wire.annotations else None)
    icons = [
        icon.model_dump(mode="json", by_alias=True, exclude_none=True)
        for icon in wire.icons or ()
        if icon.src.startswith(_SCHEMES) and len(icon.src) <= _LONGEST_ICON
    ]
    told = {"title": title, "icons": icons[:_MOST_ICONS]}
    shown = {key: value for key, value in told.items() if value}
    return {"mcp": shown} if shown else {}

"""Renders groups of tools as a table and as plain data, without loading their tools."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

if TYPE_CHECKING:
    from toolkit.sources.configuration import GroupSettings


def listed_groups(groups: "Mapping[str, GroupSettings]", granted: Collection[str], width: int) -> list[Line]:
    """Return a table of groups: name, tools, required permissions, provider, and description."""
    header = ("GROUP", "TOOLS", "NEEDS", "PROVIDER", "DESCRIPTION")
    rows = [
        (name, ", ".join(_choices(group)), _needs(group, granted), group.provider, group.description)
        for name, group in groups.items()
    ]
    return table(header, rows, width)


def group_record(name: str, group: "GroupSettings", granted: Collection[str]) -> dict[str, Any]:
    """Return a group as plain data; every key is always present."""
    return {
        "name": name,
        "description": group.description,
        "provider": group.provider,
        "permissions": list(group.permissions),
        "granted": all(permission in granted for permission in group.permissions),
        "sources": list(group.sources),
        "tools": list(group.tools),
        "exclude": list(group.exclude),
        "required": list(group.required),
    }


def _choices(group: "GroupSettings") -> list[str]:
    chosen = list(group.tools) or [f"all of {source}" for source in group.sources]
    return [*chosen, *(f"not {name}" for name in group.exclude)]


def _needs(group: "GroupSettings", granted: Collection[str]) -> str:
    return ", ".join(one if one in granted else f"{one} (not granted)" for one in group.permissions)

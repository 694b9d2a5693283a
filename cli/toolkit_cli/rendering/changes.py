"""Renders what a dialect changes in the definition of a tool, and why."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

if TYPE_CHECKING:
    from toolkit.dialects import Change

_HEADER = ("WHERE", "CHANGE")


def explained(changes: "Mapping[str, Sequence[Change]]", dialect: str, width: int) -> list[Line]:
    """Return the changes of each tool for a dialect, grouped by reason, with the source and when it was checked."""
    lines: list[Line] = []
    for name, found in changes.items():
        lines += [[]] if lines else []
        if not found:
            lines.append([("strong", name), ("plain", f": nothing is changed for {dialect}")])
            continue
        lines.append([("strong", name), ("plain", f": changed for {dialect}")])
        ordered = sorted(enumerate(found), key=lambda one: (_first(found, one[1]), one[0]))
        for limit, group in groupby((change for _, change in ordered), key=lambda change: change.limit):
            source = f"  {limit.source.place}, checked {limit.source.checked}"
            lines += [[], [("plain", f"  {limit.says}")], [("quiet", source)]]
            lines += table(_HEADER, [(change.pointer, change.what) for change in group], width, indent=4)
    return lines


def _first(found: "Sequence[Change]", change: "Change") -> int:
    """Return the position of the first change with the same reason."""
    return next(place for place, one in enumerate(found) if one.limit == change.limit)

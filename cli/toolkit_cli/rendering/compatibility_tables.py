"""Renders which providers accept which tools, and what a dialect changes in a definition."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.styles import UNKNOWN, Line, table

if TYPE_CHECKING:
    from toolkit.dialects import Change
    from toolkit.lint.changes.compatibility import Compatibility, Row, Verdict


_LEGEND = "a number: accepted, adds about that many tokens to each request; !: something is lost; no: rejected"


def as_table(found: "Compatibility", width: int) -> list[Line]:
    """Return a table of tools by provider, followed by the reasons."""
    if not found.rows:
        return []
    header = ("TOOL", *(verdict.provider for verdict in found.whole.verdicts))
    rows = [*found.rows, found.whole]
    lines = table(header, [(row.name or UNKNOWN, *map(_cell, row.verdicts)) for row in rows], width)
    lines += [[], [("quiet", _LEGEND)]]
    if partly := sum(not row.is_whole for row in found.rows):
        lines += [[("quiet", f"of {partly} of {len(found.rows)}, only what the source shows was read")]]
    if reasons := _reasons(rows):
        lines += [[], *table(("TOOL", "PROVIDER", "CODE", "WHY"), reasons, width)]
    return lines


def _cell(verdict: "Verdict") -> str:
    if not verdict.is_taken:
        return "no"
    return f"{verdict.tokens} !" if verdict.reasons else str(verdict.tokens)


def _reasons(rows: Sequence["Row"]) -> list[tuple[str, str, str, str]]:
    return [
        (row.name or UNKNOWN, verdict.provider, reason.code, reason.message)
        for row in rows
        for verdict in row.verdicts
        for reason in verdict.reasons
    ]


def as_record(found: "Compatibility") -> dict[str, Any]:
    """Return the compatibility as plain data."""
    together = _record(found.whole)["providers"] if found.rows else {}
    return {"tools": [_record(row) for row in found.rows], "all": together}


def _record(row: "Row") -> dict[str, Any]:
    return {
        "name": row.name,
        "is_whole": row.is_whole,
        "providers": {
            verdict.provider: {
                "taken": verdict.is_taken,
                "tokens": verdict.tokens,
                "reasons": [reason._asdict() for reason in verdict.reasons],
            }
            for verdict in row.verdicts
        },
    }


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

"""Compatibility as people and programs read it: tool by provider, what each definition costs, and why not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

if TYPE_CHECKING:
    from toolkit.lint.compatibility import Compatibility, Row, Verdict

_LEGEND = "a number: accepted, costs about that many tokens in every request; !: something is lost; no: rejected"


def as_table(found: "Compatibility", width: int) -> list[Line]:
    """Return a table of tools and providers, and below it the reasons."""
    if not found.rows:
        return [[("plain", "there are no tools")]]
    header = ("TOOL", *(verdict.provider for verdict in found.whole.verdicts))
    rows = [*found.rows, found.whole]
    lines = table(header, [(row.name, *map(_cell, row.verdicts)) for row in rows], width)
    lines += [[], [("quiet", _LEGEND)]]
    if reasons := _reasons(rows):
        lines += [[], *table(("TOOL", "PROVIDER", "CODE", "WHY"), reasons, width)]
    return lines


def _cell(verdict: "Verdict") -> str:
    if not verdict.is_taken:
        return "no"
    return f"{verdict.tokens} !" if verdict.reasons else str(verdict.tokens)


def _reasons(rows: Sequence["Row"]) -> list[tuple[str, str, str, str]]:
    return [
        (row.name, verdict.provider, reason.code, reason.message)
        for row in rows
        for verdict in row.verdicts
        for reason in verdict.reasons
    ]


def as_record(found: "Compatibility") -> dict[str, Any]:
    """Return it as plain data."""
    return {"tools": [_record(row) for row in found.rows], "all": _record(found.whole)["providers"]}


def _record(row: "Row") -> dict[str, Any]:
    return {
        "name": row.name,
        "providers": {
            verdict.provider: {
                "taken": verdict.is_taken,
                "tokens": verdict.tokens,
                "reasons": [reason._asdict() for reason in verdict.reasons],
            }
            for verdict in row.verdicts
        },
    }

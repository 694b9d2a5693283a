"""Renders the diagnosis of an MCP server: a table of its steps, or plain data."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolkit.amounts import format_duration
from toolkit_cli.rendering.styles import Line, one_line, table

if TYPE_CHECKING:
    from toolkit.mcp.diagnosis.diagnoses import Diagnosis, Step


def diagnosis_lines(found: "Diagnosis", width: int) -> list[Line]:
    """Return the name of a server, and a table of its steps: name, state, time, and what was found, with the fix."""
    title: Line = [("strong", found.server.name), ("plain", f": {one_line(found.server.line)}")]
    rows = [row for step in found.steps for row in _rows(step)]
    return [title, *table(("STEP", "STATE", "TIME", "RESULT"), rows, width, danger="failed")]


def _rows(step: "Step") -> Iterator[tuple[str, str, str, str]]:
    first, *more = step.reasons or ("",)
    yield step.name, step.state, _time(step.seconds), first
    for line in [*more, *([f"fix: {step.fix}"] if step.fix else [])]:
        yield "", "", "", line


def _time(seconds: float | None) -> str:
    text = "" if seconds is None else format_duration(round(seconds, 4 if seconds < 1 else 1))
    return text.rjust(_WIDEST_TIME)


_WIDEST_TIME = len("100.5ms")
"""The column always has this width, so that the tables of several servers are aligned."""


def diagnosis_record(found: "Diagnosis") -> dict[str, Any]:
    """Return a diagnosis as plain data; every key is always present."""
    health, listing = found.health, found.listing
    return {
        "name": found.server.name,
        "line": found.server.line,
        "works": found.failure is None,
        "protocol": health.protocol if health else None,
        "title": health.title if health else None,
        "steps": [_step_record(step) for step in found.steps],
        "tools": {
            "listed": [tool.name for tool in listing.tools] if listing else [],
            "used": [tool.wire_name for tool in found.used],
            "hidden": [tool._asdict() for tool in found.hidden],
        },
    }


def _step_record(step: "Step") -> dict[str, Any]:
    return {
        "name": step.name,
        "state": step.state,
        "milliseconds": None if step.seconds is None else round(step.seconds * 1000, 1),
        "reasons": list(step.reasons),
        "fix": step.fix or None,
        "code": step.code or None,
    }

"""Renders the results of cases: as text, and in the formats of other programs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.problems import Problem, seen_from
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.problem_texts import as_records, as_text, counted
from toolkit_cli.rendering.report_formats import ToolCase

if TYPE_CHECKING:
    from toolkit.cases.case import Ran


def problems_of(ran: "Sequence[Ran]") -> list[Problem]:
    """Return how cases fail, and warnings, in order, with paths as seen from the working directory."""
    here = Path.cwd()
    return [seen_from(here, problem) for one in ran for problem in (*one.result.problems, *one.result.warnings)]


def as_report(ran: "Sequence[Ran]", left_out: int, *, colour: bool, width: int) -> str:
    """Return the failures with source excerpts, and a summary, with a newline at the end."""
    problems = problems_of(ran)
    parts = [f"{as_text(problems, colour=colour, width=width)}\n"] if problems else []
    return "\n".join([*parts, f"{summary(ran, left_out)}\n"])


def summary(ran: "Sequence[Ran]", left_out: int) -> str:
    """Return how many cases passed, failed, could not be run, and so on."""
    broken = sum(one.result.is_broken for one in ran)
    passed = sum(one.result.passed for one in ran)
    failed = len(ran) - passed - broken
    files = len({one.case.file for one in ran})
    stale = sum(bool(one.result.warnings) for one in ran)
    recorded = sum(bool(one.result.recorded) for one in ran)
    counts = [
        f"{failed} failed" if failed else "",
        f"{broken} cannot be run" if broken else "",
        f"{passed} passed",
        f"{left_out} not run" if left_out else "",
        f"{stale} stale" if stale else "",
        f"{recorded} recorded" if recorded else "",
    ]
    return f"{', '.join(filter(None, counts))} ({counted(len(ran), 'case')} in {counted(files, 'file')})"


def as_record(ran: "Sequence[Ran]") -> dict[str, Any]:
    """Return the results as plain data; every key is always present."""
    return {"cases": [_record(one) for one in ran]}


def _record(one: "Ran") -> dict[str, Any]:
    result, here = one.result, Path.cwd()
    return {
        "name": one.case.name.text,
        "file": shown_path(str(one.case.file)),
        "line": one.case.name.location.line,
        "status": "passed" if result.passed else "broken" if result.is_broken else "failed",
        "seconds": round(result.seconds, 6),
        "problems": as_records([seen_from(here, problem) for problem in (*result.problems, *result.warnings)]),
    }


def tool_cases(ran: "Sequence[Ran]") -> list[ToolCase]:
    """Return the cases as test cases of JUnit."""
    here = Path.cwd()
    return [
        ToolCase(
            one.case.name.text,
            shown_path(str(one.case.file)),
            problems=tuple(replace(seen_from(here, problem), severity="error") for problem in one.result.problems),
        )
        for one in ran
    ]

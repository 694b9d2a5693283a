"""Renders the results of cases: as text, and in the formats of other programs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.amounts import money
from toolkit.cases.cassettes import digests_of
from toolkit.cases.figures import GRADES, Figures, Rate, figures_of
from toolkit.codes import DEFINITION_DRIFT
from toolkit.pins.drifts import in_short
from toolkit.problems import Problem, seen_from
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.problem_texts import as_records, as_text, counted
from toolkit_cli.rendering.report_formats import Table, ToolCase
from toolkit_cli.rendering.styles import paint_all, table

if TYPE_CHECKING:
    from toolkit.cases.case import Ran
    from toolkit.cases.comparisons import Comparison, Moved


def problems_of(ran: "Sequence[Ran]") -> list[Problem]:
    """Return how cases fail, and warnings, in order, with paths as seen from the working directory."""
    here = Path.cwd()
    return [seen_from(here, problem) for one in ran for problem in (*one.result.problems, *one.result.warnings)]


def as_report(
    ran: "Sequence[Ran]", total: int, compared: "Sequence[Comparison]" = (), *, colour: bool, width: int
) -> str:
    """Return the failures with source excerpts, figures of models, and a summary, with a newline at the end."""
    problems = problems_of(ran)
    parts = [f"{as_text(problems, colour=colour, width=width)}\n"] if problems else []
    tables = (table(header, rows, width) for header, rows in tables_of(ran, compared))
    parts += [f"{paint_all(lines, colour=colour)}\n" for lines in tables]
    return "\n".join([*(one.rstrip("\n") + "\n" for one in parts), f"{summary(ran, total)}\n"])


def tables_of(ran: "Sequence[Ran]", compared: "Sequence[Comparison]") -> list[Table]:
    """Return the figures of models, what they called instead of other tools, and how they differ from before."""
    figures = figures_of(ran) if any(one.case.label for one in ran) else []
    moved = [_moved(one, model.model) for model in compared for one in model.moved]
    tables = [
        (_HEADER, [_row(one) for one in figures]),
        (("ASKED FOR", "CALLED", "TIMES", "BY"), _confusions(figures)),
        (("MODEL", "BEFORE", "NOW", "CHANGE", "95%"), [as_change(one) for one in compared]),
        (("MOVED", "BEFORE", "NOW", "95%", "BY", "CHANGED"), moved),
    ]
    return [(header, rows) for header, rows in tables if rows]


def as_notes(tables: Sequence[Table]) -> list[str]:
    """Return the rows of tables as sentences: each cell with the title of its column."""
    return [
        ", ".join(f"{title.lower()} {cell}" for title, cell in zip(header, row, strict=True) if cell)
        for header, rows in tables
        for row in rows
    ]


_HEADER = ("MODEL", "PASSED", "95%", "TOOL", "VALID", "ARGUMENTS", "NOT NEEDLESS", "TOKENS", "COST", "TIME")


def _row(one: Figures) -> tuple[str, ...]:
    low, high = one.rate.interval
    grades = (f"{one.grades[grade]}/{one.rate.runs}" for grade in GRADES)
    rate = (_share(one.rate), f"{100 * low:.0f}-{high:.0%}")
    return (one.model, *rate, *grades, f"{one.tokens:,}", money(one.cost) if one.cost else "", f"{one.seconds:.1f} s")


def _confusions(figures: Sequence[Figures]) -> list[tuple[str, ...]]:
    """Return the tools that were called where others were asked for."""
    pairs = sorted({pair for one in figures for pair in one.confusions if pair[0] != pair[1]})
    return [
        (asked or "none", called or "none", str(one.confusions[asked, called]), one.model)
        for asked, called in pairs
        for one in figures
        if (asked, called) in one.confusions
    ]


def as_change(one: "Comparison") -> tuple[str, ...]:
    """Return a model, its rates before and now, the change, and the 95% interval of the change."""
    change = one.now.share - one.before.share
    verdict = ", a significant drop" if one.has_dropped else ", not significant" if change < 0 else ""
    words = f"{change:+.0%}{verdict}"
    return (one.model, _share(one.before), _share(one.now), words, _interval(one.before, one.now))


def _interval(before: Rate, now: Rate) -> str:
    low, high = now.change_from(before)
    return f"{low:+.0%} to {high:+.0%}"


def _moved(one: "Moved", model: str) -> tuple[str, ...]:
    changes = "; ".join(f"'{drift.name}': {in_short(drift.changes)}" for drift in one.drifts)
    interval = _interval(one.before, one.now)
    return (one.name, _share(one.before), _share(one.now), interval, model, changes or "no definition")


def _share(rate: Rate) -> str:
    return f"{rate.passed}/{rate.runs}"


def as_compared(compared: "Sequence[Comparison]") -> list[dict[str, Any]]:
    """Return a comparison as plain data."""
    return [
        {
            "model": one.model,
            "before": [*one.before],
            "now": [*one.now],
            "interval": _ends(one.before, one.now),
            "dropped": one.has_dropped,
            "moved": [
                {
                    "name": case.name,
                    "before": [*case.before],
                    "now": [*case.now],
                    "interval": _ends(case.before, case.now),
                    "changes": {drift.name: [change.what for change in drift.changes] for drift in case.drifts},
                }
                for case in one.moved
            ],
        }
        for one in compared
    ]


def _ends(before: Rate, now: Rate) -> list[float]:
    return [round(end, 4) for end in now.change_from(before)]


def summary(ran: "Sequence[Ran]", total: int) -> str:
    """Return how many cases passed, failed, could not be run, and so on; `total` is how many there are."""
    broken = sum(one.result.is_broken for one in ran)
    passed = sum(one.result.passed for one in ran)
    failed = len(ran) - passed - broken
    files = len({one.case.file for one in ran})
    cases = len({(one.case.file, one.case.position) for one in ran})
    stale = sum(any(found.code == DEFINITION_DRIFT for found in one.result.warnings) for one in ran)
    aside = sum(any(found.code != DEFINITION_DRIFT for found in one.result.warnings) for one in ran)
    recorded = sum(bool(one.result.recorded) for one in ran)
    counts = [
        f"{failed} failed" if failed else "",
        f"{broken} cannot be run" if broken else "",
        f"{passed} passed",
        f"{total - cases} not run" if total > cases else "",
        f"{stale} stale" if stale else "",
        f"{aside} not compared" if aside else "",
        f"{recorded} recorded" if recorded else "",
    ]
    runs = "" if len(ran) == cases else f"{counted(len(ran), 'run')} of "
    return f"{', '.join(filter(None, counts))} ({runs}{counted(cases, 'case')} in {counted(files, 'file')})"


def as_record(ran: "Sequence[Ran]") -> dict[str, Any]:
    """Return the results as plain data; every key is always present."""
    definitions: dict[str, Any] = {}
    cases = [_record(one, definitions) for one in ran]
    return {"cases": cases, "figures": [_of_model(one) for one in figures_of(ran)], "definitions": definitions}


def _of_model(one: Figures) -> dict[str, Any]:
    confusions = [{"asked": a, "called": c, "times": n} for (a, c), n in sorted(one.confusions.items())]
    rate = {"passed": one.rate.passed, "runs": one.rate.runs, "interval": [round(end, 4) for end in one.rate.interval]}
    spent = {"tokens": one.tokens, "cost": one.cost, "seconds": round(one.seconds, 6)}
    return {"model": one.model, **rate, "grades": dict(one.grades), **spent, "confusions": confusions}


def _record(one: "Ran", definitions: dict[str, Any]) -> dict[str, Any]:
    result, here, choice = one.result, Path.cwd(), one.result.choice
    return {
        "name": one.case.name.text,
        "file": shown_path(str(one.case.file)),
        "line": one.case.name.location.line,
        "status": "passed" if result.passed else "broken" if result.is_broken else "failed",
        "seconds": round(result.seconds, 6),
        "problems": as_records([seen_from(here, problem) for problem in (*result.problems, *result.warnings)]),
        "choice": None if choice is None else choice._asdict() | {"tools": digests_of(choice.tools, definitions)},
    }


def tool_cases(ran: "Sequence[Ran]") -> list[ToolCase]:
    """Return the cases as test cases of JUnit."""
    here = Path.cwd()
    return [
        ToolCase(
            one.case.title,
            shown_path(str(one.case.file)),
            problems=tuple(replace(seen_from(here, problem), severity="error") for problem in one.result.problems),
            properties=_properties(one),
        )
        for one in ran
    ]


def _properties(one: "Ran") -> dict[str, str]:
    """Return what a model chose in a case that fails."""
    choice = one.result.choice
    if choice is None or one.result.passed:
        return {}
    listed = {"asked": choice.asked, "called": choice.called, "faults": choice.faults}
    return {"model": choice.model} | {name: ", ".join(all_of) for name, all_of in listed.items()}

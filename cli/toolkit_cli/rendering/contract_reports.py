"""Renders the results of testing tools, as a table with findings and in the formats of other programs."""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from toolkit.json_texts import json_text
from toolkit.problems import Problem, errors_among, in_order
from toolkit.testing.checked_tools import Checked
from toolkit.testing.contract_checks import Finding, ToolReport
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.problem_texts import as_records, as_text, counted, summary_of
from toolkit_cli.rendering.report_formats import ToolCase
from toolkit_cli.rendering.styles import Line, is_plain, paint_all, table
from toolkit_cli.rendering.tool_kinds import address_of, python_option

_LONGEST_COMMAND = 500
_MANY_RESULTS = 10
_HEADER = ("TOOL", "CALLS", "OK", "REFUSED", "FAILED", "SLOWEST", "~TOKENS", "NOTE")


def problems_of(checked: Checked) -> list[Problem]:
    """Return what is wrong with all tools, each with a command that reproduces it and a case, in order of places."""
    return in_order(
        _with_command(checked, report, finding) for report in checked.reports for finding in report.findings
    )


def _with_command(checked: Checked, report: ToolReport, finding: Finding) -> Problem:
    problem = finding.problem
    lines = [problem.hint, f"reproduce it: {command_for(checked, report, finding)}"]
    if _can_run(finding):
        target = json_text({"run": address_of(report.spec), "with": finding.arguments})
        lines.append(f'as a case: {{"name": "{report.spec.name} takes this input", {target[1:]}')
    return replace(problem, hint="\n".join(filter(None, lines)))


def command_for(checked: Checked, report: ToolReport, finding: Finding) -> str:
    """Return a command that shows the same defect: a single call, or else a test, which tries this input first."""
    target = f"{quote(address_of(report.spec))}{python_option(checked.python)}"
    if _can_run(finding):
        return f"toolkit run {target} --args {quote(json_text(finding.arguments))}"
    return f"toolkit test {target}"


def _can_run(finding: Finding) -> bool:
    """Return whether a single call shows a defect, and its arguments fit into a line."""
    arguments = json_text(finding.arguments)
    is_single = finding.kind not in {"hang", "exit", "unstable", "arguments-changed", "output"} and not finding.breaks
    return is_single and len(arguments) <= _LONGEST_COMMAND and is_plain(arguments)


def as_report(checked: Checked, *, colour: bool, width: int) -> str:
    """Return the findings with source excerpts, a table of the tools, and a summary, with a newline at the end."""
    problems = problems_of(checked)
    parts = [f"{as_text(problems, colour=colour, width=width)}\n"] if problems else []
    if checked.reports:
        parts.append(paint_all(_table(checked.reports, width), colour=colour))
    return "\n".join([*parts, f"{summary(checked, problems)}\n"])


def _table(reports: Sequence[ToolReport], width: int) -> list[Line]:
    return table(_HEADER, [_row(report) for report in reports], width)


def _row(report: ToolReport) -> tuple[str, ...]:
    if report.not_called:
        return (report.spec.name, "0", "", "", "", "", "", f"not called: {report.not_called}")
    counts = (report.calls, report.ok, report.refused, report.failed)
    slowest = f"{report.slowest * 1000:.0f} ms" if report.slowest < 1 else f"{report.slowest:.1f} s"
    return (report.spec.name, *map(str, counts), slowest, str(report.tokens), _note(report))


def _note(report: ToolReport) -> str:
    if report.is_cut:
        return "its calls take long: the other inputs were left out"
    if report.told:
        return f"{report.told} errors are returned like results: raise them"
    if not report.ok:
        return "no call succeeded: add examples to its definition"
    return "all results are the same: add examples" if report.results == 1 and report.ok >= _MANY_RESULTS else ""


def summary(checked: Checked, problems: Sequence[Problem]) -> str:
    """Return one line about everything, and one about the tools that were not called."""
    called = [report for report in checked.reports if not report.not_called]
    left_out = len(checked.reports) - len(called)
    calls = sum(report.calls for report in called)
    counts = f"{counted(len(called), 'tool')}, {counted(calls, 'call')}" + (
        f"; {left_out} not called" if left_out else ""
    )
    verdict = summary_of(problems) if problems else "All checks passed!" if called else "Nothing was called."
    advice = (
        "\nTools that may change something are called with --approve NAME; `--approve '*'` calls all."
        if left_out
        else ""
    )
    return f"{verdict} ({counts}){advice}"


def as_record(checked: Checked, seed: int) -> dict[str, Any]:
    """Return the results as plain data; every key is always present."""
    return {
        "seed": seed,
        "tools": [_tool_record(checked, one) for one in checked.reports],
        "problems": as_records(checked.problems),
    }


def _tool_record(checked: Checked, report: ToolReport) -> dict[str, Any]:
    return {
        "name": report.spec.name,
        "source": shown_path(report.spec.source or ""),
        "framework": report.spec.framework,
        "calls": report.calls,
        "ok": report.ok,
        "refused": report.refused,
        "failed": report.failed,
        "slowest_seconds": round(report.slowest, 6),
        "largest_result_tokens": report.tokens,
        "different_results": report.results,
        "not_called": report.not_called or None,
        "is_cut": report.is_cut,
        "told": report.told,
        "findings": [
            as_records([one.problem])[0]
            | {
                "kind": one.kind,
                "arguments": one.arguments,
                "breaks": one.breaks or None,
                "command": command_for(checked, report, one),
            }
            for one in report.findings
        ],
    }


def tool_cases(checked: Checked) -> list[ToolCase]:
    """Return the tools without errors as test cases of JUnit, skipped if they were not called."""
    return [
        ToolCase(report.spec.name, shown_path(report.spec.source or ""), report.not_called)
        for report in checked.reports
        if not errors_among(finding.problem for finding in report.findings)
    ]

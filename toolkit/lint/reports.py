"""Reports: what was found in one file or under one name, and the same as plain JSON."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.recalling import definition_record, read_definition, read_suppression
from toolkit.lint.suppressions import Suppression
from toolkit.problems import Problem, problem_record, read_problem


class Report(NamedTuple):
    """What was found in one file, or under one name, whatever comments say about it.

    Attributes:
        problems: The findings.
        tools: The tools, without their sources: what rules that look at all of them together see.
        suppressions: What comments in the file silence.
        needs: What the result rests on, as the child process tells it; None where that is not known.
        read: The real paths of the Python files that were read to find tools.
        imported: The real paths of those that were imported.
    """

    problems: tuple[Problem, ...] = ()
    tools: tuple[ToolDefinition, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    needs: Mapping[str, Any] | None = None
    read: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()


def report_record(report: Report) -> dict[str, Any]:
    """Return a report as plain data, without what it rests on."""
    return {
        "problems": [problem_record(problem) for problem in report.problems],
        "tools": [definition_record(tool) for tool in report.tools],
        "suppressions": report.suppressions,
        "read": report.read,
        "imported": report.imported,
    }


def read_report(record: Mapping[str, Any]) -> Report:
    """Return the report that a record stands for."""
    return Report(
        tuple(map(read_problem, record["problems"])),
        tuple(map(read_definition, record["tools"])),
        tuple(map(read_suppression, record["suppressions"])),
        read=tuple(record["read"]),
        imported=tuple(record["imported"]),
    )

"""Reports: what was found in one file or under one name, and the same as plain JSON."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from toolkit.lint.suppressions import Suppression, read_suppression
from toolkit.problems import Problem, problem_record, read_problem

if TYPE_CHECKING:
    from toolkit.lint.definitions import ToolDefinition
    from toolkit.lint.pipeline_files import PipelineStep


class Report(NamedTuple):
    """What was found in one file, or under one name, whatever comments say about it.

    Attributes:
        problems: The findings.
        tools: The tools, without their sources: what rules that look at all of them together see.
        mark: A text that stands for the tools, and that other ones do not have; empty where it is not known.
        suppressions: What comments in the file silence.
        needs: What the result depends on, as the child process reports it; None if that is not known.
        read: The real paths of the Python files that were read to find tools.
        imported: The real paths of those that were imported.
        steps: The steps of the pipeline that the file holds.
    """

    problems: tuple[Problem, ...] = ()
    tools: "Sequence[ToolDefinition]" = ()
    mark: str = ""
    suppressions: tuple[Suppression, ...] = ()
    needs: Mapping[str, Any] | None = None
    read: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    steps: "tuple[PipelineStep, ...]" = ()


class KeptTools(Sequence["ToolDefinition"]):
    """Tools that were written as JSON, and are read once somebody looks at them."""

    def __init__(self, text: bytes, count: int) -> None:
        """Keep the text, and how many tools it holds."""
        self._text = text
        self._count = count

    @cached_property
    def _tools(self) -> "tuple[ToolDefinition, ...]":
        from toolkit.lint.record_reader import read_definition  # noqa: PLC0415 - seldom does somebody look at them

        return tuple(map(read_definition, json.loads(self._text)))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> "ToolDefinition": ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[ToolDefinition]": ...
    def __getitem__(self, index: int | slice) -> "ToolDefinition | Sequence[ToolDefinition]":
        """Return one of them, or several."""
        return self._tools[index]


def report_record(report: Report) -> dict[str, Any]:
    """Return a report as plain data, without its tools and what it rests on."""
    return {
        "problems": [problem_record(problem) for problem in report.problems],
        "mark": report.mark,
        "count": len(report.tools),
        "suppressions": report.suppressions,
        "read": report.read,
        "imported": report.imported,
        "steps": _step_records(report.steps),
    }


def read_report(record: Mapping[str, Any], tools: "Sequence[ToolDefinition]") -> Report:
    """Return the report that a record and its tools stand for."""
    return Report(
        problems=tuple(map(read_problem, record["problems"])),
        tools=tools,
        mark=record["mark"],
        suppressions=tuple(map(read_suppression, record["suppressions"])),
        read=tuple(record["read"]),
        imported=tuple(record["imported"]),
        steps=_read_steps(record["steps"]),
    )


def _step_records(steps: "Sequence[PipelineStep]") -> list[dict[str, Any]]:
    if not steps:
        return []
    from toolkit.lint.record_reader import step_record  # noqa: PLC0415 - most files hold no pipeline

    return list(map(step_record, steps))


def _read_steps(records: Sequence[dict[str, Any]]) -> "tuple[PipelineStep, ...]":
    if not records:
        return ()
    from toolkit.lint.record_reader import read_step  # noqa: PLC0415 - most files hold no pipeline

    return tuple(map(read_step, records))

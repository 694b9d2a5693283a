"""What a check of a file found, and how it travels between processes as plain data."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

from toolkit.lint.configuration.suppressions import Suppression, read_suppression
from toolkit.lint.definitions.pipeline_files import PipelineStep, StepCall, Taint
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.problems import Location, Problem, problem_record, read_problem
from toolkit.tools.definition.spec import read_record, record_of


def read_step(record: Mapping[str, Any]) -> PipelineStep:
    """Return the step of a pipeline from its record."""
    changes = {
        "location": Location(*record["location"]),
        "tool": record["tool"] and read_record(record["tool"]),
        "taints": tuple(
            Taint(parameter, Location(*place), tuple(origins), is_seen)
            for parameter, place, origins, is_seen in record["taints"]
        ),
        "call": record["call"] and StepCall(*record["call"]),
    }
    return PipelineStep(**{**record, **changes})


def step_record(step: PipelineStep) -> dict[str, Any]:
    """Return the step of a pipeline as plain data."""
    return {**step._asdict(), "tool": step.tool and record_of(step.tool)}


def definition_record(tool: ToolDefinition) -> dict[str, Any]:
    """Return a tool as plain data, without its source."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": [[one.name, one.description, one.location, one.is_required] for one in tool.parameters],
        "origin": tool.origin,
        "location": tool.location,
        "schema": None if tool.spec else tool.schema,
        "spec": tool.spec and record_of(tool.spec),
        "source": tool.source,
        "identity": sorted(tool.identity, key=repr),
        "is_written": tool.is_written,
        "framework": tool.framework,
        "is_named": tool.is_named,
        "is_behind_facade": tool.is_behind_facade,
        "is_lookalike": tool.is_lookalike,
        "outline": tool.outline and record_of(tool.outline),
    }


def read_definition(record: Mapping[str, Any]) -> ToolDefinition:
    """Return a tool from its record."""
    spec = record["spec"] and read_record(record["spec"])
    schema = spec.parameters if spec else record["schema"]
    properties = (schema or {}).get("properties", {})
    parameters = tuple(
        ParameterDefinition(name, text, place and Location(*place), schema and properties.get(name), is_required)
        for name, text, place, is_required in record["parameters"]
    )
    place = record["location"]
    changes = {
        "parameters": parameters,
        "location": place and Location(*place),
        "schema": schema,
        "spec": spec,
        "outline": record["outline"] and read_record(record["outline"]),
        "identity": frozenset(map(tuple, record["identity"])),
    }
    return ToolDefinition(**{**record, **changes})


class Gaps(NamedTuple):
    """Where the source of a file registers tools that it does not show.

    Attributes:
        problems: A problem for each such call.
        conversions: A problem for each definition that the file makes of what no source shows, if it defines no tool.
        followed: The file and the line of each such call in any file that a tool of this file comes from; line 0 if it
            may be in any file that imports this one.
        around: The files that the problems are about, and those that they import.
        frameworks: The titles of the frameworks that the file imports, if it defines no tool.
        unknown_mark: A hint on a decorator that may register tools, if the file defines no tool.
        server: Where the file creates a server, or answers a request for the list of tools, if it defines no tool.
    """

    problems: tuple[Problem, ...] = ()
    conversions: tuple[Problem, ...] = ()
    followed: tuple[tuple[str, int], ...] = ()
    around: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    unknown_mark: str | None = None
    server: Location | None = None


class Report(NamedTuple):
    """The result of checking one file or name, before suppressions are applied.

    Attributes:
        problems: The findings.
        tools: The tools, without their sources, for rules that check all tools together.
        mark: A digest that identifies the tools; empty if it is not known.
        suppressions: The suppressions in the file's comments.
        needs: What the result depends on, as reported by the child process; None if that is not known.
        read: The real paths of the Python files that were read to find tools.
        imported: The real paths of the Python files that were imported.
        steps: The steps of the pipeline in the file, if it is one.
        gaps: What the source of the file does not show, unless the file was imported.
    """

    problems: tuple[Problem, ...] = ()
    tools: "Sequence[ToolDefinition]" = ()
    mark: str = ""
    suppressions: tuple[Suppression, ...] = ()
    needs: Mapping[str, Any] | None = None
    read: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    steps: "tuple[PipelineStep, ...]" = ()
    gaps: "Gaps" = Gaps()


class KeptTools(Sequence["ToolDefinition"]):
    """Tools in JSON that are only parsed when they are needed."""

    def __init__(self, text: bytes, count: int) -> None:
        """Create the sequence from the JSON and the number of tools in it."""
        self._text = text
        self._count = count

    @cached_property
    def _tools(self) -> "tuple[ToolDefinition, ...]":
        return tuple(map(read_definition, json.loads(self._text)))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> "ToolDefinition": ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[ToolDefinition]": ...
    def __getitem__(self, index: int | slice) -> "ToolDefinition | Sequence[ToolDefinition]":
        """Return one or several tools."""
        return self._tools[index]


def report_record(report: Report) -> dict[str, Any]:
    """Return a report as plain data, without its tools and dependencies."""
    return {
        "problems": [problem_record(problem) for problem in report.problems],
        "mark": report.mark,
        "count": len(report.tools),
        "suppressions": report.suppressions,
        "read": report.read,
        "imported": report.imported,
        "steps": list(map(step_record, report.steps)),
        "gaps": [
            [problem_record(one) for one in report.gaps.problems],
            [problem_record(one) for one in report.gaps.conversions],
            *report.gaps[2:],
        ],
    }


def read_report(record: Mapping[str, Any], tools: "Sequence[ToolDefinition]") -> Report:
    """Return the report from its record and its tools."""
    return Report(
        problems=tuple(map(read_problem, record["problems"])),
        tools=tools,
        mark=record["mark"],
        suppressions=tuple(map(read_suppression, record["suppressions"])),
        read=tuple(record["read"]),
        imported=tuple(record["imported"]),
        steps=tuple(map(read_step, record["steps"])),
        gaps=_read_gaps(*record["gaps"]),
    )


def _read_gaps(problems: Sequence[Any], conversions: Sequence[Any], followed: Sequence[Any], *others: Any) -> Gaps:
    around, frameworks, unknown_mark, server = others
    return Gaps(
        tuple(map(read_problem, problems)),
        tuple(map(read_problem, conversions)),
        followed=tuple((file, line) for file, line in followed),
        around=tuple(around),
        frameworks=tuple(frameworks),
        unknown_mark=unknown_mark,
        server=server and Location(*server),
    )

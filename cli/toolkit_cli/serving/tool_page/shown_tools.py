"""What the page shows about tools, their findings, and the results of calls, as plain data without secrets."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.dialects import DIALECTS, export, objections
from toolkit.lint import check
from toolkit.pipelines.charts import chart_of
from toolkit.runs.records import JournalError
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.origins import place_of_tool
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import objections as argument_objections
from toolkit_cli.rendering.chart_drawings import svg_of
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.run_pages.pages import drawn_graph
from toolkit_cli.rendering.tool_kinds import kind_of, outline_of_agent, pipeline_in
from toolkit_cli.rendering.tools import marks_of
from toolkit_cli.rendering.tree_outlines import states_of
from toolkit_cli.running.journaled_runs import users_journal

if TYPE_CHECKING:
    from toolkit.problems import Problem
    from toolkit.stores.recorded_runs import RecordedRun
    from toolkit_cli.running.sessions import Session

_LATEST: Final = 200
"""Among how many recorded runs the last one of a pipeline is looked for."""
_WORST_FIRST: Final = ("failed", "timed_out", "rejected", "begun", "ok", "skipped")


def tool_record(tool: Tool) -> dict[str, Any]:
    """Return what the list, the definition and the form of a tool are made from."""
    spec, place = tool.spec, place_of_tool(tool)
    return {
        "name": spec.name,
        "description": spec.description,
        "kind": kind_of(tool),
        "marks": marks_of(tool),
        "file": shown_path(place.file if place else spec.source or ""),
        "line": place.line if place else None,
        "schema": spec.parameters,
        "definition": visible_json(console.redactor().data(spec.definition), indent=2),
        "examples": [_json(example) for example in spec.examples],
        "chart": _chart(tool),
    }


def _chart(tool: Tool) -> str:
    if (pipeline := pipeline_in(tool)) is not None:
        return svg_of(chart_of(pipeline.plan))
    agent = outline_of_agent(tool)
    return svg_of(states_of(agent)) if agent is not None and agent.states else ""


def sent_definitions(tool: Tool) -> list[dict[str, Any]]:
    """Return the definition of a tool in each dialect, with what was changed and what the provider objects to."""
    records = []
    for dialect in DIALECTS:
        made = export(tool.spec, dialect)
        changes = [f"{change.pointer}: {change.what}" for change in made.changes]
        refused = [f"{one.severity}: {one.message}" for one in objections(tool.spec, dialect, made)]
        records.append({"name": dialect, "definition": _json(made.definition), "notes": [*refused, *changes]})
    return records


def findings_of(session: "Session", targets: Sequence[str]) -> list[dict[str, Any]]:
    """Return what `toolkit lint` reports about the targets."""
    return [_finding(problem) for problem in check(targets, session.configuration)]


def _finding(problem: "Problem") -> dict[str, Any]:
    place = problem.location
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint or "",
        "file": shown_path(place.file) if place else "",
        "line": place.line if place else None,
    }


def last_run_of(tool: Tool) -> dict[str, Any] | None:
    """Return how the steps of a pipeline ended in the last run that the journal has; `None` if it has none."""
    pipeline = pipeline_in(tool)
    place = None if pipeline is None else pipeline.plan.location
    if place is None:
        return None
    try:
        with users_journal() as journal:
            run = next((run for run in islice(journal.all(), _LATEST) if _is_of(run, place.file)), None)
            if run is None:
                return None
            nodes = drawn_graph(run, [*journal.steps(run)])
    except JournalError:
        return None
    return {"id": run.id, "state": run.state, "counted": run.counted, "began": run.began, "steps": _statuses(nodes)}


def _is_of(run: "RecordedRun", file: str) -> bool:
    return str(Path(file).absolute()) in run.definition and run.target.partition(":")[0].endswith(
        file.rpartition("/")[2]
    )


def _statuses(nodes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in nodes:
        ended = {**node["turns"], **node["counts"]}
        found[node["path"]] = next(
            (one for one in ("failed", "timed_out", "begun", "ok", "skipped") if one in ended), ""
        )
        for _, inner in node["branches"]:
            found |= _statuses(inner)
    return found


def result_record(tool: Tool, result: ToolResult, arguments: str) -> dict[str, Any]:
    """Return the result of a call as a model, a program and an MCP client receive it."""
    is_invalid = result.error_code == "invalid_arguments"
    text = console.redactor().text(result.text)
    structured = console.redactor().data(result.structured)
    blocks = [{"type": "text", "text": console.redactor().text(result.error or result.output)}]
    answer: dict[str, Any] = {"content": blocks, "isError": not result.succeeded}
    if result.succeeded and structured is not None:
        answer["structuredContent"] = structured if isinstance(structured, dict) else {"result": structured}
    return {
        "succeeded": result.succeeded,
        "text": text,
        "structured": "" if result.structured is None else _json(structured),
        "code": None if result.error_code is None else str(result.error_code),
        "raised": None if result.raised is None else f"{result.raised.kind} at {result.raised.place or 'a library'}",
        "mcp": _json(answer),
        "faults": _faults(tool, arguments) if is_invalid else [],
    }


def _faults(tool: Tool, arguments: str) -> list[list[str]]:
    """Return the names of invalid arguments, each with what is wrong."""
    given = json.loads(arguments or "{}")
    missing = [[name, "this argument is required"] for name in tool.spec.required if name not in given]
    return missing + [[one.argument, one.problem.message] for one in argument_objections(tool, given)]


def _json(value: Any) -> str:
    return console.json_without_secrets(value, indent=2)

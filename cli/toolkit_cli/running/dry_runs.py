"""Determines what a run would do, without calling anything."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.approvals.gates import Gate
from toolkit.tools.base import Tool
from toolkit_cli.rendering.tools import pipeline_in
from toolkit_cli.running.clearance import questions_of
from toolkit_cli.running.foresight import known_arguments, unknown_names


def rehearsal_record(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> dict[str, Any]:
    """Return what a run would do as plain data: the call, the steps of a pipeline, and the approval questions."""
    questions = questions_of(tool, arguments, gate)
    return {
        "tool": tool.name,
        "arguments": tool.describe(tool.parse(arguments)),
        "steps": list(_steps(tool, tool.describe(tool.parse(arguments)), "")),
        "questions": [
            {"step": question.step, "tool": question.call.risk.tool, "because": question.verdict.because}
            for question in questions
        ],
    }


def _steps(tool: Tool, arguments: Mapping[str, Any], prefix: str) -> Iterator[dict[str, Any]]:
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return

    for step in pipeline.plan.walk():
        known = known_arguments(step, pipeline.plan, arguments)
        path = f"{prefix}{step.path}"
        yield {
            "path": path,
            "position": step.position,
            "of": step.of,
            "kind": step.kind,
            "tool": step.tool.name if step.tool is not None else None,
            "arguments": known,
            "unknown": unknown_names(step, known),
            "conditional": step.definition.when is not None,
            "for_each": step.definition.each is not None,
        }
        if step.tool is not None:
            yield from _steps(step.tool, known, f"{path}/")

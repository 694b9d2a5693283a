"""What is known about the steps of a pipeline before it runs: their arguments, and what a dry run shows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.errors import ToolExecutionError
from toolkit.pipelines.plans import Plan, PlannedStep
from toolkit.pipelines.step_definitions import Use
from toolkit.pipelines.templated_data import ConstantValue, Value, expressions_in
from toolkit.redactors.redactor import MASK
from toolkit.tools.base import Tool
from toolkit_cli.rendering.tool_kinds import pipeline_in

if TYPE_CHECKING:
    from toolkit_cli.running.answer_sources import ForeseenCall

_KNOWN_ROOTS = {"input", "inputs", "env"}


def known_arguments(step: PlannedStep, plan: Plan, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a step's call that depend only on the pipeline's inputs, with secrets masked.

    Args:
        step: The step.
        plan: The plan of the pipeline.
        inputs: The known inputs.
    """
    action = step.definition.action
    if not isinstance(action, Use) or action.arguments is None:
        return {}
    roots: dict[str, Any] = {"inputs": inputs, "env": plan.environment}
    if len(inputs) == 1:
        roots["input"] = next(iter(inputs.values()))
    secrets = step.tool.hidden_parameters if step.tool is not None else frozenset()
    known: dict[str, Any] = {}
    for name, value in action.arguments.entries.items():
        if _is_known(value, inputs):
            try:
                known[name] = MASK if name in secrets else value.render(roots)
            except ToolExecutionError:  # the run will report it
                continue
    return known


def _is_known(value: Value, inputs: Mapping[str, Any]) -> bool:
    if isinstance(value, ConstantValue):
        return True
    references = [reference for located in expressions_in(value) for reference in located.expression.references]
    return all(
        reference.root in _KNOWN_ROOTS and (reference.root != "inputs" or _first(reference.path) in inputs)
        for reference in references
    )


def _first(path: tuple[str | int, ...]) -> str | int | None:
    return path[0] if path else None


def computed_names(step: PlannedStep, known: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the names of arguments that are computed when the step runs; `None` if that may be any argument."""
    if step.feed is not None and step.feed.parameter is None:
        return None
    return tuple(unknown_names(step, known))


def unknown_names(step: PlannedStep, known: Mapping[str, Any]) -> list[str]:
    """Return the names of arguments whose values are known only when the step runs, the piped one last."""
    action = step.definition.action
    written = action.arguments.entries if isinstance(action, Use) and action.arguments is not None else {}
    piped = [step.feed.parameter or "all arguments"] if step.feed is not None else []
    return [*(name for name in written if name not in known), *piped]


def rehearsal_record(tool: Tool, arguments: Mapping[str, Any], questions: "Sequence[ForeseenCall]") -> dict[str, Any]:
    """Return what a run would do as plain data: the call, the steps of a pipeline, and the approval questions."""
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

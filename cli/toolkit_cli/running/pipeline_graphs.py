"""Returns the steps of a pipeline as plain data, so that a recorded run can be shown without the pipeline's files."""

from typing import TYPE_CHECKING, Any

from toolkit.tools.base import Tool
from toolkit_cli.rendering.tools import pipeline_in

if TYPE_CHECKING:
    from toolkit.pipelines.outline import StepOutline
    from toolkit.pipelines.plans import Plan


def graph_of(tool: Tool) -> list[dict[str, Any]]:
    """Return the steps of a pipeline, including nested pipelines; empty for other tools.

    Each step has its `label`, its `path` in the run, its `kind`, the name of its `tool`, the paths that its data comes
    `from`, and its `branches` as pairs of a title and steps.
    """
    pipeline = pipeline_in(tool)
    return [] if pipeline is None else _steps_of(pipeline.plan, "")


def _steps_of(plan: "Plan", prefix: str) -> list[dict[str, Any]]:
    from toolkit.pipelines.outline import outline_of  # noqa: PLC0415 - only recorded runs have a graph

    tools = {step.path: step.tool for step in plan.walk() if step.tool is not None}
    return [_step(step, prefix, tools) for step in outline_of(plan).steps]


def _step(step: "StepOutline", prefix: str, tools: dict[str, Tool]) -> dict[str, Any]:
    path = prefix + step.path
    branches = [[name, [_step(one, prefix, tools) for one in inner]] for name, inner in step.branches.items()]
    called = pipeline_in(tools[step.path]) if step.path in tools else None
    if called is not None:
        branches.append([called.plan.name, _steps_of(called.plan, f"{path}/")])
    sources = list(step.sources)
    return {
        "label": step.label,
        "path": path,
        "kind": step.kind,
        "tool": step.tool,
        "from": sources,
        "branches": branches,
    }

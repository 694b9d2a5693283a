"""Turns: the context and event data of one execution of a step."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import NamedTuple

from toolkit.pipelines.flows import Flow, Outcome
from toolkit.pipelines.plans import ON_FAILURE, PlannedStep
from toolkit.tools.context import ToolContext
from toolkit.tools.wait_clocks import Waiting

CURRENT_PATH: ContextVar[str] = ContextVar("toolkit_pipeline_path", default="")
"""The path of the step that is running, with a slash after it. It is set only if there is a listener."""


class Turn(NamedTuple):
    """One execution of a step.

    Attributes:
        context: The context for the step's calls.
        call: The number that the step's events share; 0 if there is no listener.
        path: The step's whole path, starting at the outermost pipeline.
    """

    context: ToolContext
    call: int = 0
    path: str = ""


def context_within(context: ToolContext, step: PlannedStep, flow: Flow) -> ToolContext:
    """Return the context for one step's calls, with the step's position and a clock for time spent waiting."""
    within = f"{flow.run.plan.name}/{step.path}"
    step_name = within if context.step is None else f"{context.step}/{within}"
    path = f"{context.path}/{step.label}" if context.path else None if context.path is None else step.label
    return context.replace(place=_place_of(step, flow), step=step_name, path=path, waits=Waiting(context.waits))


def _place_of(step: PlannedStep, flow: Flow) -> str:
    """Describe the position of a step in the run, for the reviewer."""
    around = flow.context.place
    here = f"step {step.position}/{step.of}"
    parent = step.path.rpartition("/")[0]
    if parent == ON_FAILURE:
        here = f"{here} of {ON_FAILURE}"
    elif parent:
        return f"{here} of branch {parent.rpartition('/')[2]!r} · {around}"
    here = f"{here} · pipeline {flow.run.plan.name}"
    return f"{here} · {around}" if around else here


def roots_with(flow: Flow, outcome: Outcome) -> Mapping[str, object]:
    """Return the values that an adapter can read: those of the step, plus `result`."""
    return flow.roots() | {"result": outcome.output}

"""Turns: what one step is given to work with while it runs."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import NamedTuple

from toolkit.pipelines.flows import Flow, Outcome
from toolkit.pipelines.plans import ON_FAILURE, PlannedStep
from toolkit.tools.context import ToolContext
from toolkit.tools.wait_clocks import Waiting

CURRENT_PATH: ContextVar[str] = ContextVar("toolkit_pipeline_path", default="")
"""The path of the step that is running, with a slash after it; only kept up where somebody listens."""


class Turn(NamedTuple):
    """One turn of one step: the context for its calls, and, where somebody listens, what its events are called.

    Attributes:
        context: What the step's calls are handed.
        call: The number that its events share; 0 where nobody listens.
        path: Its whole path, from the outermost pipeline.
    """

    context: ToolContext
    call: int = 0
    path: str = ""


def context_within(context: ToolContext, step: PlannedStep, flow: Flow) -> ToolContext:
    """Return the context of one step's calls: it knows where they are, and how long somebody was waited for."""
    within = f"{flow.run.plan.name}/{step.path}"
    step_name = within if context.step is None else f"{context.step}/{within}"
    path = f"{context.path}/{step.label}" if context.path else None if context.path is None else step.label
    return context.replace(place=_place_of(step, flow), step=step_name, path=path, waits=Waiting(context.waits))


def _place_of(step: PlannedStep, flow: Flow) -> str:
    """Return where in a run a step is, in words, for the reviewer."""
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
    """Return what an adapter can read: all that the step can, and its result."""
    return flow.roots() | {"result": outcome.output}

"""The direct way: a step that hands text to a tool and says nothing else, with nobody listening or to be asked.

It does what `Step.run` does, without the stations that such a step does not have. Most steps of most chains are so.
"""

from collections.abc import Awaitable, Callable

from toolkit.pipelines.definitions import Use
from toolkit.pipelines.flows import Flow, Outcome, outcome_of
from toolkit.pipelines.plans import PlannedStep

DirectWay = Callable[[Flow], Awaitable[Outcome | None]]
"""Runs a step and hands on what it gave; returns the outcome of a step that failed, and nothing of one that did not."""


def direct_way(step: PlannedStep) -> DirectWay | None:
    """Return the short way to run a step, or `None` if it says anything that needs the long one."""
    tool, feed, path = step.tool, step.feed, step.path
    if tool is None or feed is None or feed.parameter is None or not feed.as_text or not _says_nothing_else(step):
        return None
    parameter, call = feed.parameter, tool.call

    async def go(flow: Flow) -> Outcome | None:
        result = await call({parameter: flow.text}, flow.context)
        if result.error is not None:
            return outcome_of(result)
        flow.hand_on(result)
        flow.run.outputs[path] = flow.output
        return None

    return go


def _says_nothing_else(step: PlannedStep) -> bool:
    definition, action = step.definition, step.definition.action
    adapts = definition.adapter is not None and step.adapts
    return (
        isinstance(action, Use)
        and action.arguments is None
        and step.on_error == "fail"
        and not adapts
        and all(
            said is None
            for said in (
                definition.id,
                definition.when,
                definition.each,
                definition.approval,
                definition.retry,
                definition.timeout,
            )
        )
    )

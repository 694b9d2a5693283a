"""Failure steps: the steps that run when a pipeline has failed or was interrupted."""

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.errors import Signal
from toolkit.pipelines.execution import Step
from toolkit.pipelines.flows import Flow
from toolkit.running import loop_is_running
from toolkit.tools.results import ToolResult

INTERRUPTED = "interrupted"


def is_interruption(error: BaseException) -> bool:
    """Return whether an exception ends the work from outside: Ctrl-C, or a cancellation."""
    asyncio = sys.modules.get("asyncio")
    return isinstance(error, KeyboardInterrupt) or (asyncio is not None and isinstance(error, asyncio.CancelledError))


async def clean_up(steps: Sequence[Step], flow: Flow, error: Mapping[str, Any]) -> None:
    """Run all these steps, each of which can read the error; a step that fails hides neither it nor the next one."""
    if not steps:
        return
    message = str(error["message"])
    flow.run.error = error
    # What cleans up after one failure is done again after another: no journal keeps it.
    after = Flow(flow.run, flow.context.replace(path=None, journal=None), message, message, ToolResult(error=message))
    for step in steps:
        try:
            outcome = await step.run(after)
        except Signal as signal:
            _log(step, str(signal))
            return
        if outcome.failed:
            _log(step, outcome.result.error or "")
        if outcome.ends_run:
            return
        if outcome.goes_on:
            after.take(outcome)


async def clean_up_undisturbed(steps: Sequence[Step], flow: Flow, error: Mapping[str, Any]) -> None:
    """The same, but what cancelled the run does not cancel this too; a second Ctrl-C does."""
    if not steps:
        return
    if not loop_is_running():
        await clean_up(steps, flow, error)
        return
    from anyio import CancelScope

    with CancelScope(shield=True):
        await clean_up(steps, flow, error)


def _log(step: Step, message: str) -> None:
    logging.getLogger("toolkit.pipelines").warning("on_failure step %r failed: %s", step.planned.label, message)

"""Runs the `on_failure` steps after a pipeline has failed or was interrupted."""

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.errors import Signal
from toolkit.pipelines.execution import Step
from toolkit.pipelines.pipeline_states import Flow
from toolkit.running import loop_is_running
from toolkit.tools.calls.results import ToolResult

INTERRUPTED = "interrupted"


def is_interruption(error: BaseException) -> bool:
    """Return whether an exception is an interruption from outside: Ctrl-C or a cancellation."""
    asyncio = sys.modules.get("asyncio")
    return isinstance(error, KeyboardInterrupt) or (asyncio is not None and isinstance(error, asyncio.CancelledError))


async def clean_up(steps: Sequence[Step], flow: Flow, error: Mapping[str, Any]) -> None:
    """Run the `on_failure` steps, whose expressions can read the error. If one of them fails, the next still runs."""
    if not steps:
        return
    message = str(error["message"])
    flow.run.error = error
    # Each failure needs its own cleanup, so the outcomes of these steps are not journaled.
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
    """Run the `on_failure` steps shielded from the cancellation that ended the run. A second Ctrl-C still ends them."""
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

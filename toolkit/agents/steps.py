"""Runs a call of a model within the budgets of its run, and reports it as a step of the agent."""

from contextlib import nullcontext
from time import perf_counter

from toolkit.agents.kept_turns import call_kept
from toolkit.errors import Signal
from toolkit.events import Listener, StepFinished, StepStarted, StepStatus
from toolkit.tools.base import Tool
from toolkit.tools.calls import ToolCall
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_of_ending
from toolkit.tools.results import ToolResult
from toolkit.tools.wait_clocks import Counting, Waiting

UNNAMED = "agent"
"""The name of an agent without a name."""

_STATUSES: dict[str | int | None, StepStatus] = {"rejected": "rejected", "timeout": "timed_out"}


async def call_as_step(tool: Tool | None, call: ToolCall, context: ToolContext, turn: int, of: int) -> ToolResult:
    """Call a tool as a step of an agent.

    Args:
        tool: The tool; `None` if the model has called an unknown one.
        call: The call, as the model made it.
        context: The context of the call. Its listener receives the step, and the call is recorded under its path.
        turn: The number of the turn, which is the position of the step.
        of: Maximum number of turns.

    Raises:
        Signal: If more than the call has to end, for example because a budget is used up.
    """
    who = f"agent {context.agent}" if context.agent != UNNAMED else UNNAMED
    place = " · ".join(filter(None, (f"turn {turn}/{of}", who, context.place)))
    inner = context.replace(place=place)
    with inner.run.calling() if inner.run is not None else nullcontext():
        if inner.listener is None:
            return await _performed(tool, call, inner)
        return await _describe(tool, call, context=inner, listener=inner.listener, turn=turn, of=of)


async def _describe(
    tool: Tool | None, call: ToolCall, context: ToolContext, listener: Listener, turn: int, of: int
) -> ToolResult:
    counting, waits = Counting(listener), Waiting(context.waits)
    result, began = ToolResult.failure("the call was cancelled", "signal"), perf_counter()
    status: StepStatus = "ended"

    def started(step: int) -> StepStarted:
        return StepStarted(call=step, path=call.name, position=turn, of=of, tool=call.name, items=None)

    def finished(step: int, _: float) -> StepFinished:
        return StepFinished(
            call=step,
            path=call.name,
            position=turn,
            of=of,
            tool=call.name,
            status=status,
            output=result.output,
            error=result.error,
            error_code=result.error_code,
            attempts=1,
            asked=counting.asked,
            continued=status not in ("ok", "ended"),
            items=None,
            skipped=[],
            seconds=waits.worked_since(began),
        )

    with context.reporting(started, finished):
        try:
            result = await _performed(tool, call, context.replace(listener=counting, waits=waits))
        except Signal as ending:
            result = result_of_ending(ending, result)
            raise
        status = "ok" if result.succeeded else _STATUSES.get(result.error_code, "failed")
    return result


async def _performed(tool: Tool | None, call: ToolCall, context: ToolContext) -> ToolResult:
    if tool is None:
        return ToolResult.failure(f"the tool '{call.name}' does not exist", "unknown_tool")
    return await call_kept(tool, call, context)

"""Decides whether a call with valid arguments may run, and makes it wait where the calls of its tool are limited."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from toolkit.approvals.decisions import Refused
from toolkit.approvals.gates import Demand, Gate
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.running import pause
from toolkit.tools.call_limits import Limiter, Release
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.questions import Admitted, CallQuestion, decide, with_arguments
from toolkit.tools.results import CallDenied


def verdict_on(tool: Callee, parsed: Any, context: ToolContext, demand: Demand | None) -> Verdict:
    """Return the gate's verdict on a call; with `NO_QUESTION` it runs without approval."""
    gate = context.gate or Gate()
    if demand is None and context.chosen_by == "person" and not (gate.judges_itself or gate.policy.needs_arguments):
        return gate.verdict_on(tool.described)
    demanded_by = demand.asked_by if demand is not None else None
    call = DescribedCall(tool.described.risk, context.chosen_by, demanded_by, earlier=gate.history.tools)
    return gate.verdict_on(with_arguments(call, tool, parsed) if gate.needs_arguments else call)


async def admit(
    tool: Callee,
    arguments: str | Mapping[str, Any],
    parsed: Any,
    context: ToolContext,
    demand: Demand | None,
    verdict: Verdict,
) -> Admitted:
    """Ask for approval if necessary, and return the approved arguments.

    Raises:
        CallDenied: If the call, or a reviewer's edit of it, is denied.
        ToolArgumentsError: If a reviewer's edit is invalid.
        ConfigurationError: If approval is required and there is no reviewer.
        ExitEarlyError: If the reviewer ends the run.
    """
    question = CallQuestion(tool, arguments, context, demand)
    decision = await decide(context, tool.described, question, verdict)
    if isinstance(decision, Refused):
        if demand is not None:
            demand.on_refusal(decision)
        raise CallDenied(decision.message)
    return question.admitted if verdict.action == "ask" else Admitted(parsed)


_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.25


class Held:
    """The limiter within a call that has a slot: calls with the same name inside it need no other slot."""

    def __init__(self, limiter: Limiter, tool: str) -> None:
        self.limiter, self.tool = limiter, tool

    def bounds(self, tool: str) -> bool:
        """Return whether a tool has a limit."""
        return tool != self.tool and self.limiter.bounds(tool)

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        return self.limiter.take(tool, again=again)


async def perform_in_turn(tool: Callee, parsed: Any, context: ToolContext) -> Any:
    """Run a tool as soon as a slot is free; the time until then counts as waiting time."""
    limiter, name = context.limiter, tool.spec.name
    if limiter is None or not limiter.bounds(name):
        return await tool.perform(parsed, context)
    release = await _acquire(limiter, name, context)
    try:
        return await tool.perform(parsed, context.replace(limiter=Held(limiter, name)))
    finally:
        release()


async def begin_again(tool: str, context: ToolContext) -> None:
    """Wait until a call that has a slot may start again, since a retry counts as another call."""
    limiter = context.limiter
    if isinstance(limiter, Held) and limiter.tool == tool:
        await _acquire(limiter, tool, context, again=True)


async def _acquire(limiter: Limiter, tool: str, context: ToolContext, *, again: bool = False) -> Release:
    taken = limiter.take(tool, again=again)
    if callable(taken):
        return taken
    shortest = _FIRST_PAUSE
    with context.waits or nullcontext():
        while not callable(taken):
            await pause(min(max(taken, shortest), _LONGEST_PAUSE))
            shortest = min(shortest * 2, _LONGEST_PAUSE)
            taken = limiter.take(tool, again=again)
    return taken

"""Asking: how a question is put to the gate of a context; listeners are told, and the waiting is nobody's work."""

from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING

from toolkit.approvals.decisions import Continue, Decision, ExitEarly, Reject
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.requests import ReviewRequest

if TYPE_CHECKING:
    from typing import Literal

    from toolkit.events import ApprovalDecided
    from toolkit.tools.context import ToolContext


async def ask(context: "ToolContext", request: ReviewRequest) -> Decision:
    """Put a question and return the decision.

    Raises:
        ConfigurationError: If nobody can be asked.
    """
    gate = context.gate or Gate()
    if context.listener is not None:
        from toolkit.events import ApprovalAsked  # noqa: PLC0415 - only a listener needs events

        context.emit(ApprovalAsked(request.risk.tool, request.arguments, request.asked_by))
    asked = perf_counter()
    with context.waits or nullcontext():
        decision = await gate.ask(request)
    seconds = perf_counter() - asked
    if context.listener is not None:
        context.emit(_decided(request.risk.tool, decision, seconds))
    return decision


async def ask_for_leave(context: "ToolContext", gate: Gate, request: ReviewRequest) -> Decision:
    """Put a question that a tool itself asks, unless the policy answers it; an answer in words is never foreseen.

    Raises:
        ExitEarlyError: If the reviewer ends the run.
    """
    if not request.answer_is_text:
        call = DescribedCall(request.risk, context.chosen_by, request.asked_by, request.arguments)
        verdict = gate.judge(call)
        if verdict.action == "deny":
            return Reject(verdict.because)
        if verdict.action == "allow":
            tell_of_leave(context, request.risk.tool, verdict.because)
            return Continue()
    decision = await ask(context, request)
    if isinstance(decision, ExitEarly):
        raise decision.signal()
    return decision


def tell_of_leave(context: "ToolContext", tool: str, by: str) -> None:
    """Tell the listener that a call may run without a question, and by whose leave."""
    if context.listener is not None:
        from toolkit.events import ApprovalDecided  # noqa: PLC0415 - only a listener needs events

        context.emit(ApprovalDecided(tool, "continue", by, None, 0.0))


def _decided(tool: str, decision: Decision, seconds: float) -> "ApprovalDecided":
    from toolkit.events import ApprovalDecided  # noqa: PLC0415 - only a listener needs events

    words: dict[type, Literal["continue", "edit", "reject", "exit_early"]] = {
        Continue: "continue",
        Reject: "reject",
        ExitEarly: "exit_early",
    }
    reason = getattr(decision, "reason", None)
    return ApprovalDecided(tool, words.get(type(decision), "edit"), "reviewer", reason, seconds)

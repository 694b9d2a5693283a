"""Decides whether a call with valid arguments may run."""

from collections.abc import Mapping
from typing import Any

from toolkit.approvals.gates import Demand, Gate
from toolkit.approvals.permissions import Refused
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.tools.approval_checks import decide
from toolkit.tools.callees import Callee
from toolkit.tools.context import ToolContext
from toolkit.tools.questions import Admitted, CallQuestion, with_arguments
from toolkit.tools.refusals import CallDenied


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

"""Creates the audit log's records of questions and decisions, with known secrets redacted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.approvals.audit_log import current_person
from toolkit.approvals.decisions import REVIEWER, Decision, Edit, Settled
from toolkit.approvals.policies import Ground
from toolkit.approvals.requests import ReviewRequest
from toolkit.redactors.redactor import Redactor
from toolkit.tools.json_data import freeze_as_json
from toolkit.tools.secret_arguments import members_of, reading_redactor

if TYPE_CHECKING:
    from toolkit.tools.context import ToolContext


def record_of_question(request: ReviewRequest, context: "ToolContext") -> dict[str, Any]:
    """Return the record of a question whose secrets are already redacted."""
    return {
        "event": "question",
        **_about(request.risk.tool, context),
        "text": request.text,
        "arguments": request.arguments,
        "asked_by": request.asked_by,
    }


def record_of_decision(settled: Settled, context: "ToolContext", word: str) -> dict[str, Any]:
    """Return the record of a decision.

    Args:
        settled: The call and the decision on it.
        context: The context of the call.
        word: The decision in one word, such as `continue` or `reject`, or the policy's verdict if nobody was asked.
    """
    verdict, request, decision = settled.verdict, settled.request, settled.decision
    tool = settled.call.risk.tool if settled.call is not None else request.risk.tool if request is not None else ""
    reason = getattr(decision, "reason", None) or getattr(decision, "rule", None) or ""
    redactor = reading_redactor(context)
    return {
        "event": "decision",
        **_about(tool, context, getattr(decision, "by", "")),
        "source": settled.call.risk.source if settled.call is not None else None,
        "chosen_by": context.chosen_by,
        "arguments": redactor.data(request.arguments) if request is not None else _send(context, redactor),
        "decision": word,
        "by": REVIEWER if decision is not None else (verdict.because if verdict is not None else ""),
        "rule": _rule_of(verdict.ground if verdict is not None else None),
        "reason": redactor.text(reason),
        "edit": _edit_of(decision, request, context, redactor),
    }


def _about(tool: str, context: "ToolContext", person: str = "") -> dict[str, Any]:
    call = context.call
    is_own = call is not None and call.tool.name == tool
    return {
        "tool": tool,
        "run": context.run.id if context.run is not None else None,
        "outermost_run": context.run.lineage[-1].id if context.run is not None else None,
        "place": context.place,
        "definition": call.tool.definition_hash if call is not None and is_own else None,
        "person": person or current_person(),
    }


def _send(context: "ToolContext", redactor: Redactor) -> Any:
    """Return the arguments of the running call as received, with secrets redacted."""
    call = context.call
    return None if call is None else _mask(call.arguments, context, redactor)


def _mask(arguments: str | Mapping[str, Any], context: "ToolContext", redactor: Redactor) -> Any:
    """Return arguments with secrets redacted; text that is not a JSON object stays text."""
    text = freeze_as_json(arguments)
    members = members_of(text)
    if members is None or context.call is None:
        return redactor.text(text)
    return redactor.data(context.call.tool.veil.over(members))


def _rule_of(ground: Ground | None) -> dict[str, Any] | None:
    if ground is None:
        return None
    return {"what": ground.what, "file": ground.place.file, "line": ground.place.line, "reason": ground.reason}


def _edit_of(
    decision: Decision | None, request: ReviewRequest | None, context: "ToolContext", redactor: Redactor
) -> dict[str, Any] | None:
    if not isinstance(decision, Edit) or request is None:
        return None
    return {"before": request.arguments, "after": _mask(decision.arguments, context, redactor)}

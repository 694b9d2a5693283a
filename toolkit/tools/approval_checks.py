"""Lets the gate of a context decide on a call, reports the decision, and excludes the time spent waiting for it."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from toolkit.approvals.decisions import Continue, Decision, ExitEarly, Reject
from toolkit.approvals.gates import Gate, Question
from toolkit.approvals.permissions import Granted, Refused, Settled
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import ReviewRequest
from toolkit.events import ApprovalAsked, ApprovalDecided
from toolkit.tools.call_secrets import redactor_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, Literal

    from toolkit.tools.surroundings import Surroundings


async def decide(
    context: "Surroundings", call: DescribedCall | None, question: Question, verdict: Verdict | None = None
) -> Granted | Refused:
    """Let the gate of a context decide; for the arguments and exceptions see `Gate.decide`."""
    gate = context.gate or Gate()

    def redacted_question(because: str) -> ReviewRequest:
        return _without_secrets(question(because), context)

    decision = await gate.decide(call, redacted_question, witness=_Listening(context), verdict=verdict)
    if context.run is not None and isinstance(decision, Granted):
        context.run.check()  # the run may have ended while the question was open
    return decision


def _without_secrets(request: ReviewRequest, context: "Surroundings") -> ReviewRequest:
    """Return a question with its secrets redacted; its digest, which identifies the call, still includes them."""
    redactor = redactor_of(context)
    return replace(
        request,
        text=redactor.text(request.text),
        arguments=redactor.data(request.arguments),
        defaults=redactor.data(dict(request.defaults)),
        uses=redactor.data(dict(request.uses)),
        place=redactor.data(request.place),
        preview=redactor.data(request.preview),
        show=redactor.data(request.show),
    )


class _Listening:
    """Reports the gate's decisions to the listener of a context, and counts the time of a question as waiting time."""

    def __init__(self, context: "Surroundings") -> None:
        self._context = context

    @contextmanager
    def asking(self, request: ReviewRequest) -> Iterator[None]:
        context = self._context
        if context.listener is not None:
            context.emit(ApprovalAsked(request.risk.tool, request.arguments, request.asked_by))
        self._record(lambda records: records.record_of_question(request, context))
        with context.waits or nullcontext():
            yield

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        if self._context.listener is not None:
            reason = getattr(decision, "reason", None)
            self._context.emit(ApprovalDecided(tool, _word_for(decision), by, reason, seconds))

    def settled(self, settled: Settled) -> None:
        decision, verdict = settled.decision, settled.verdict
        word = _word_for(decision) if decision is not None else verdict.action if verdict is not None else ""
        self._record(lambda records: records.record_of_decision(settled, self._context, word))

    def _record(self, made: "Callable[[ModuleType], dict[str, Any]]") -> None:
        audit = self._context.gate.audit if self._context.gate is not None else None
        if audit is None:
            return
        from toolkit.tools import audit_records  # noqa: PLC0415 - few runs have an audit log

        audit.append(made(audit_records))


def _word_for(decision: Decision) -> 'Literal["continue", "edit", "reject", "exit_early"]':
    match decision:
        case Continue():
            return "continue"
        case Reject():
            return "reject"
        case ExitEarly():
            return "exit_early"
    return "edit"

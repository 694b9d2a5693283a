"""Questions about calls: lets the gate of a context decide, reports the decision, and applies the answer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.decisions import Continue, Decision, ExitEarly, Granted, Refused, Reject, Settled
from toolkit.approvals.gates import Gate, Question
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import DEFAULT_TIMEOUT, EditedCall, ReviewRequest, state_of
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.events import ApprovalAsked, ApprovalDecided
from toolkit.tools.edited_arguments import is_same, restore_secrets
from toolkit.tools.json_data import freeze_as_json
from toolkit.tools.results import AnsweredEarly
from toolkit.tools.review_requests import (
    binding_of_call,
    digest_of_call,
    digest_of_step,
    scope_of,
    shown_arguments,
    shown_defaults,
)
from toolkit.tools.secret_arguments import learn_arguments, members_of, redactor_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Literal

    from toolkit.approvals.gates import Demand
    from toolkit.tools.callees import Callee
    from toolkit.tools.context import ToolContext


class Admitted(NamedTuple):
    """The approved arguments of a call.

    Attributes:
        parsed: The arguments.
        replaced: The arguments as JSON text, if a reviewer has edited them.
        shown_state: The state on which the effect depends, as it was when the reviewer saw the preview.
    """

    parsed: Any
    replaced: str | None = None
    shown_state: Mapping[str, str] = {}


def with_arguments(call: DescribedCall, tool: "Callee", parsed: Any) -> DescribedCall:
    """Return a call with everything that a rule can match: its arguments, their defaults, and its folder."""
    return call._replace(arguments=tool.describe(parsed), defaults=tool.defaults(parsed), base=tool.uses.get("base"))


class CallQuestion:
    """The question about one call. The arguments are frozen as text, so that what is shown is exactly what runs."""

    def __init__(
        self, tool: "Callee", arguments: str | Mapping[str, Any], context: "ToolContext", demand: "Demand | None"
    ) -> None:
        """Create a question.

        Args:
            tool: The tool.
            arguments: The arguments as received.
            context: The context in which the call would run.
            demand: The question that the tool or the caller demands, if any.
        """
        self._tool = tool
        self._arguments = arguments
        self._context = context
        self._demand = demand
        self._replaced: str | None = None
        self._edits = 0
        self._sent = ""
        self._shown: Mapping[str, Any] = {}
        self._parsed: Any = None
        self._state: Mapping[str, str] = {}
        self._states: dict[str, Mapping[str, str]] = {}

    def __call__(self, because: str) -> ReviewRequest:
        """Return the request for a reviewer; `because` is the reason for the question."""
        tool, context, demand, gate = self._tool, self._context, self._demand, self._context.gate
        sent = self._sent = freeze_as_json(self._arguments)
        parsed = self._parsed = self._read(sent)
        preview = self._preview(sent, parsed)
        self._state = {**self._state, **self._states[sent]}
        redactor = redactor_of(context)
        redactor.learn(*tool.own_secrets)
        learn_arguments(redactor, tool, sent)
        shown = shown_arguments(tool, parsed, sent)
        self._shown = redactor.data(shown)
        defaults = tool.veil.over(shown_defaults(tool, parsed, sent, shown))
        request = ReviewRequest(
            (demand.message if demand is not None else None) or f"Run {tool.name}?",
            tool.spec.risk,
            self._shown,
            defaults=defaults,
            uses=tool.uses,
            asked_by=because,
            place=context.place,
            preview=preview,
            show=demand.show if demand is not None else None,
            timeout=gate.timeout if gate is not None else DEFAULT_TIMEOUT,
            on_timeout=gate.on_timeout if gate is not None else "reject",
            editable=demand is None or demand.editable,
            call=self._offered(parsed),
            digest=digest_of_call(tool, sent, scope_of(context)),
            step_digest=digest_of_step(tool, context),
            objection=self._objection,
            preview_of=self._preview_of,
            edited=self._edit,
        )
        return replace(request, binding=binding_of_call(tool, sent, request, context, edits=self._edits))

    @property
    def admitted(self) -> Admitted:
        """The arguments to run with after an approval: those that were shown last, or the last edit."""
        return Admitted(self._parsed, self._replaced, {**self._state, **self._states.get(self._sent, {})})

    def _edit(self, edited: Mapping[str, Any] | str) -> EditedCall:
        """Continue with the arguments of an edit, and return their call.

        Raises:
            ToolArgumentsError: If the edit is invalid.
        """
        try:
            sent = restore_secrets(edited, self._shown, self._sent)
            self._parsed = self._read(sent)
        except AnsweredEarly:
            raise
        except (ToolArgumentsError, ToolExecutionError) as error:
            raise ToolArgumentsError(f"The reviewer's edit is invalid: {error}") from error
        self._arguments = self._replaced = self._sent = sent
        self._edits += 1
        return EditedCall(self._described(self._parsed), self)

    def _offered(self, parsed: Any) -> DescribedCall:
        """Return the call for rules about it: without secrets, and with the names of what a rule cannot see in full."""
        call, redactor = self._described(parsed), redactor_of(self._context)
        arguments = redactor.data(dict(call.arguments or {}))
        defaults = redactor.data(self._tool.veil.over(call.defaults))
        unseen = [
            name for name, value in self._shown.items() if not is_same(value, arguments.get(name, defaults.get(name)))
        ]
        return call._replace(risk=self._tool.spec.risk, arguments=arguments, defaults=defaults, unknown=tuple(unseen))

    def _described(self, parsed: Any) -> DescribedCall:
        """Return the call with other arguments, as a policy judges it."""
        gate, demand = self._context.gate, self._demand
        asker = demand.asked_by if demand is not None else None
        earlier = gate.history.tools if gate is not None else ()
        call = DescribedCall(self._tool.described.risk, self._context.chosen_by, asker, earlier=earlier)
        return with_arguments(call, self._tool, parsed)

    def _read(self, sent: str) -> Any:
        parsed = self._tool.parse(sent)
        self._tool.check(parsed, self._context)
        return parsed

    def _preview(self, sent: str, parsed: Any) -> str | None:
        preview = self._tool.preview(parsed, self._context)
        self._states[sent] = state_of(preview)
        return preview

    def _objection(self, edited: Mapping[str, Any] | str) -> str | None:
        try:
            parsed = self._read(restore_secrets(edited, self._shown, self._sent))
            return _denial(self._described(parsed), self._context)
        except AnsweredEarly:
            return None
        except (ToolArgumentsError, ToolExecutionError) as error:
            return str(error)

    def _preview_of(self, edited: Mapping[str, Any] | str) -> str | None:
        try:
            sent = restore_secrets(edited, self._shown, self._sent)
            preview = self._preview(sent, self._tool.parse(sent))
            return None if preview is None else redactor_of(self._context).text(preview)
        except (ToolArgumentsError, ToolExecutionError, OSError):
            return None


class OwnQuestion:
    """A question that a running call asks itself, about arguments that the reviewer may edit."""

    def __init__(self, request: ReviewRequest, call: DescribedCall, context: "ToolContext") -> None:
        """Create a question.

        Args:
            request: The question, with the arguments as the tool has passed them.
            call: The call as a policy judges it.
            context: The context of the call.
        """
        self._request = request
        self._call = call
        self._context = context
        self.edited: dict[str, Any] | None = None

    def __call__(self, because: str) -> ReviewRequest:
        """Return the request for a reviewer; `because` is the reason for the question."""
        asked_by = self._request.asked_by if self.edited is None else because
        return replace(self._request, asked_by=asked_by, edited=self._edit, objection=self._objection)

    def _edit(self, edited: Mapping[str, Any] | str) -> EditedCall:
        """Continue with the arguments of an edit, and return their call.

        Raises:
            ToolArgumentsError: If the edit is invalid.
        """
        self.edited = self._read(edited)
        self._request = replace(self._request, arguments=self.edited)
        return EditedCall(self._call._replace(arguments=self.edited), self)

    def _read(self, edited: Mapping[str, Any] | str) -> dict[str, Any]:
        sent = self._request.arguments
        shown = redactor_of(self._context).data(sent)
        arguments = members_of(restore_secrets(edited, shown, freeze_as_json(sent)))
        if arguments is None:
            raise ToolArgumentsError("The reviewer's edit is invalid: it is not a JSON object")
        return arguments

    def _objection(self, edited: Mapping[str, Any] | str) -> str | None:
        try:
            return _denial(self._call._replace(arguments=self._read(edited)), self._context)
        except ToolArgumentsError as error:
            return str(error)


def _denial(call: DescribedCall, context: "ToolContext") -> str | None:
    """Return why a call would be denied, or `None`."""
    verdict = None if context.gate is None else context.gate.verdict_on(call)
    return f"it is denied by {verdict.because}" if verdict is not None and verdict.action == "deny" else None


class RunningCall(NamedTuple):
    """A running call, as shown in the questions that it asks itself.

    Attributes:
        tool: The tool, under the name that was called.
        arguments: The arguments of the call.
        around: The call that made this call, if there is one.
        shown_state: The state on which the effect depends, as it was when a reviewer approved the call.
        approvals: The parsed arguments with which a reviewer has approved this call, whoever required the question.
    """

    tool: "Callee"
    arguments: str | Mapping[str, Any]
    around: "RunningCall | None"
    shown_state: Mapping[str, str]
    approvals: list[Any]

    def digest(self, context: "ToolContext", asked_by: str) -> str:
        """Return the digest that identifies questions of this call and of the calls within it."""
        return digest_of_call(self.tool, freeze_as_json(self.arguments), scope_of(context), asked_by)

    def asks(self, request: ReviewRequest, *, context: "ToolContext") -> ReviewRequest:
        """Return a question that this call asks itself, with the digest and the arguments of the call.

        If the question has its own arguments, those of the call are shown in addition.
        """
        sent = freeze_as_json(self.arguments)
        shown = shown_arguments(self.tool, self.tool.parse(sent), sent)
        request = replace(request, digest=self.digest(context, request.asked_by), uses=self.tool.uses)
        if not request.arguments:
            return replace(request, arguments=shown)
        if request.show is None and shown and not is_same(shown, request.arguments):
            return replace(request, show={"call": shown})
        return request


async def decide(
    context: "ToolContext", call: DescribedCall | None, question: Question, verdict: Verdict | None = None
) -> Granted | Refused:
    """Let the gate of a context decide; for the arguments and exceptions see `Gate.decide`."""
    gate = context.gate or Gate()

    def redacted_question(because: str) -> ReviewRequest:
        return _without_secrets(question(because), context)

    decision = await gate.decide(call, redacted_question, witness=_Listening(context), verdict=verdict)
    if context.run is not None and isinstance(decision, Granted):
        context.run.check()  # the run may have ended while the question was open
    return decision


def _without_secrets(request: ReviewRequest, context: "ToolContext") -> ReviewRequest:
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

    def __init__(self, context: "ToolContext") -> None:
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
        from toolkit.tools import audit_records  # few runs have an audit log

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

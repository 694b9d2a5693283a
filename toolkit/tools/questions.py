"""Questions about calls: shows a call to a gate, binds the answer to exactly this call, applies it and records it."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.decisions import (
    DEFAULT_TIMEOUT,
    REVIEWER,
    Binding,
    Decision,
    Edit,
    EditedCall,
    Granted,
    PendingApprovals,
    Refused,
    ReviewRequest,
    Settled,
    plain_digest,
    salted_digest,
    state_of,
)
from toolkit.approvals.gates import Gate, Question
from toolkit.approvals.policies import DescribedCall, Ground, Verdict
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.events import ApprovalAsked, ApprovalDecided
from toolkit.json_texts import is_plain_json
from toolkit.redactors.redactor import MASK, Redactor
from toolkit.tools.calls.json_data import dumps, freeze_as_json, is_type_alone
from toolkit.tools.calls.results import AnsweredEarly
from toolkit.tools.secret_arguments import (
    is_same,
    learn_arguments,
    members_of,
    reading_redactor,
    redactor_of,
    restore_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolkit.approvals.gates import Demand
    from toolkit.tools.callees import Callee
    from toolkit.tools.context import ToolContext


_SALT = os.urandom(16)  # a remote reviewer may receive a digest, which must not reveal even a short password


def scope_of(context: "ToolContext") -> str:
    """Return the scope of an answer for several calls: the outermost run and the memory id."""
    run = context.run.lineage[-1].id if context.run is not None else None
    return json.dumps([run, context.memory_id])


def digest_of_call(tool: "Callee", sent: str, *around: str) -> str:
    """Return a digest that identifies a call by its tool and its arguments, and reveals nothing about them.

    Calls that look the same to a reviewer can differ in a secret, in data without a JSON form, or in the tool behind
    the name. Anything in `around`, such as the run of the call, is included.
    """
    data = members_of(sent)
    whole = sent if data is None else dumps(_known(tool, data), sort_keys=True)
    return digest_in_process(json.dumps([tool.identity, whole, *around]))


def digest_of_step(tool: "Callee", context: "ToolContext") -> str:
    """Return a digest shared by all calls of a tool that one step makes for its items in one run; empty elsewhere.

    Calls that a model chooses within a step do not count.
    """
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return digest_in_process(json.dumps([tool.identity, scope_of(context), context.step]))


def digest_in_process(text: str) -> str:
    """Return a salted digest, from which not even a short text can be guessed."""
    from hashlib import sha256  # it loads OpenSSL, which only questions need

    return sha256(_SALT + text.encode(errors="surrogatepass")).hexdigest()


def shown_arguments(tool: "Callee", parsed: Any, sent: str) -> dict[str, Any]:
    """Return the arguments of a call for a reviewer: the parsed ones, and those that parsing has dropped.

    A type can exclude members from its JSON form, or have no JSON form; then the original values are shown, except
    secrets.
    """
    veiled = tool.veil.over(_known(tool, members_of(sent) or {}))
    shown: dict[str, Any] = _complete(tool.describe(parsed), veiled)
    return shown


def shown_defaults(tool: "Callee", parsed: Any, sent: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of omitted arguments, which were filled in by parsing or come from the tool itself."""
    members = members_of(sent)
    read = {} if members is None else {name: value for name, value in shown.items() if name not in members}
    return read | {name: value for name, value in tool.defaults(parsed).items() if name not in shown}


def _known(tool: "Callee", data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the schema declares; the tool never receives others."""
    return {name: value for name, value in data.items() if name in tool.spec.properties}


def _complete(shown: Any, sent: Any) -> Any:
    """Return `shown` with the original value wherever something is missing or only the name of a type is shown."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        both = {name: _complete(value, sent[name]) if name in sent else value for name, value in shown.items()}
        return both | {name: value for name, value in sent.items() if name not in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_complete(*pair) for pair in zip(shown, sent, strict=True)]
    return sent if isinstance(shown, str) and is_type_alone(shown) else shown


def binding_of_call(
    tool: "Callee", sent: str, request: ReviewRequest, context: "ToolContext", *, edits: int = 0
) -> Binding | None:
    """Return the binding of an answer to a tool call, or `None` if its run is not journaled.

    Args:
        tool: The tool.
        sent: The arguments as received.
        request: The question with everything that is shown.
        context: The context of the call.
        edits: How often the call has been edited; each question about an edit has its own place.
    """
    definition = tool.spec.risk.digest
    whole = [tool.name, definition, sent, dict(state_of(request.preview))]
    found = binding_of(whole, request, context, definition=definition, parameters=tool.spec.parameters)
    return found if found is None or not edits else found._replace(path=found.path + "[edited]" * edits, alike="")


def binding_of(
    whole: Any,
    request: ReviewRequest,
    context: "ToolContext",
    *,
    definition: str = "",
    parameters: Mapping[str, Any] | None = None,
) -> Binding | None:
    """Return the binding of an answer to a question, or `None` if its run is not journaled.

    Args:
        whole: Data that identifies the subject of the question, including what the reviewer does not see.
        request: The question with everything that is shown.
        context: The context of the call.
        definition: The digest of the tool's definition, if there is a tool.
        parameters: The schema of its arguments.
    """
    approvals: object = context.journal
    path, run = context.path, context.run
    if not isinstance(approvals, PendingApprovals) or path is None or run is None:
        return None
    outermost = run.lineage[-1].id
    shown = [request.text, request.arguments, dict(request.defaults), dict(request.uses), request.preview, request.show]
    text = dumps([outermost, path, context.memory_id, whole, shown], sort_keys=True, default=repr)
    has_secrets = MASK in text or redactor_of(context).text(text) != text
    return Binding(
        approvals,
        outermost,
        path,
        lambda salt: salted_digest(text, salt, has_secrets=has_secrets),
        alike=_alike(outermost, definition, context),
        definition=definition,
        parameters=parameters or {},
    )


def _alike(run: str, definition: str, context: "ToolContext") -> str:
    """Return an id shared by the questions of a step about its items; empty for a call that a model has chosen."""
    if context.item is None or context.step is None or context.chosen_by != "person":
        return ""
    return plain_digest(json.dumps([run, definition, context.step]))


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
        self._record(lambda: record_of_question(request, context))
        with context.waits or nullcontext():
            yield

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        if self._context.listener is not None:
            reason = getattr(decision, "reason", None)
            self._context.emit(ApprovalDecided(tool, decision.word, by, reason, seconds))

    def settled(self, settled: Settled) -> None:
        decision, verdict = settled.decision, settled.verdict
        word = decision.word if decision is not None else verdict.action if verdict is not None else ""
        self._record(lambda: record_of_decision(settled, self._context, word))

    def _record(self, made: "Callable[[], dict[str, Any]]") -> None:
        audit = self._context.gate.audit if self._context.gate is not None else None
        if audit is not None:
            audit.append(made())


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
    from toolkit.approvals.audit_log import current_person  # few runs have an audit log

    call, run = context.call, context.run
    is_own = call is not None and call.tool.name == tool
    return {
        "tool": tool,
        "run": run.id if run is not None else None,
        "outermost_run": run.outermost.id if run is not None else None,
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
    members = arguments if not isinstance(arguments, str) and is_plain_json(arguments) else _members_of(arguments)
    if members is None or context.call is None:
        return redactor.text(freeze_as_json(arguments))
    return redactor.data(context.call.tool.veil.over(members))


def _members_of(arguments: str | Mapping[str, Any]) -> dict[str, Any] | None:
    return members_of(freeze_as_json(arguments))


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

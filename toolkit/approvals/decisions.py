"""What a reviewer is asked, the possible decisions, and those of a gate about a call.

A review request contains everything that a reviewer sees, and digests that bind the answer to exactly one call: to the
tool's definition, everything that is sent to the tool, and everything that was shown. Pending approvals are requests
whose answers can come later, from elsewhere, and after a restart.

Each kind of decision is a class that declares all that it means: what the gate does, its word in events and in the
audit log, and how a program gives it. Only the classes in `KINDS` are decisions.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Protocol, Self, runtime_checkable

from toolkit.approvals.policies import DescribedCall, Risk, Verdict
from toolkit.errors import ExitEarlyError
from toolkit.json_texts import WrittenNumber, as_plain, digest_of, json_text

if TYPE_CHECKING:
    from toolkit.events import DecisionWord


Answer = Literal["approve", "edit", "reject"]
"""The possible answers to a pending approval."""

_ROUNDS: Final = 100_000
_LENGTH: Final = 32


class ApprovalAnswer(NamedTuple):
    """A stored answer.

    Attributes:
        answer: The decision.
        by: The person who decided.
        at: The time of the answer, in seconds since 1970.
        reason: The reason, for the caller of the tool.
        arguments: The arguments of an edit; `None` for any other answer.
    """

    answer: Answer
    by: str
    at: float
    reason: str = ""
    arguments: dict[str, Any] | None = None


class PendingApproval(NamedTuple):
    """A question that waits for its answer.

    Attributes:
        id: The unique id of the question.
        run: The id of the run.
        path: The position of the call in the run.
        salt: The salt of the digest.
        digest: The digest that binds an answer to the call.
        alike: A key that similar questions of one step have in common; empty if the question must be answered
            separately.
        asked: The time of the question, in seconds since 1970.
        question: What is shown, and the schema to check an edit against, as plain data without secrets.
        answer: The answer, or `None` while there is none.
    """

    id: str
    run: str
    path: str
    salt: str
    digest: str
    alike: str
    asked: float
    question: dict[str, Any]
    answer: ApprovalAnswer | None = None

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Create a pending approval from a table row that has the fields of the question and of its answer."""
        answer = None
        if row["answer"] is not None:
            arguments = None if row["arguments"] is None else question_in(row["arguments"])
            answer = ApprovalAnswer(row["answer"], row["by"], row["at"], row["reason"], arguments)
        named = {name: row[name] for name in ("id", "run", "path", "salt", "digest", "alike", "asked")}
        return cls(**named, question=question_in(row["question"]), answer=answer)

    def is_about(self, binding: "Binding") -> bool:
        """Return whether the question was asked about this call."""
        import hmac  # only pending approvals need it

        return self.path == binding.path and hmac.compare_digest(self.digest, binding.digest(self.salt))

    def as_record(self) -> dict[str, Any]:
        """Return what people and programs see of the question, as plain data."""
        shown = {name: value for name, value in self.question.items() if name not in _FOR_EDITS}
        return {"id": self.id, "run": self.run, "path": self.path, "asked": self.asked, **shown}


_FOR_EDITS: Final = ("parameters",)


@runtime_checkable
class PendingApprovals(Protocol):
    """Stores the questions of one run; a `Journal` with these methods lets calls wait for their answers."""

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question at a position in the run, unless a call there has started since it was answered."""

    def add_pending(self, pending: PendingApproval) -> None:
        """Store a question, replacing an earlier one at the same position.

        Raises:
            JournalError: If the question cannot be written.
        """


class Binding(NamedTuple):
    """Binds an answer to one call, also if the program is restarted in between.

    Attributes:
        approvals: Stores the question.
        run: The id of the run.
        path: The position of the call in the run.
        digest: Returns a digest of the call for a salt. The digest covers secrets but does not reveal them.
        alike: A key that similar questions of one step have in common; empty if the question must be answered
            separately.
        definition: The digest of the tool's definition.
        parameters: The JSON Schema to check an edit against.
    """

    approvals: PendingApprovals
    run: str
    path: str
    digest: Callable[[str], str]
    alike: str = ""
    definition: str = ""
    parameters: Mapping[str, Any] = {}


def salted_digest(text: str, salt: str, *, has_secrets: bool) -> str:
    """Return a digest that is the same on every machine, and slow to compute (so also to guess) for secrets."""
    from hashlib import pbkdf2_hmac  # it loads OpenSSL, and only pending approvals need it

    rounds = _ROUNDS if has_secrets else 1
    return pbkdf2_hmac("sha256", text.encode(errors="surrogatepass"), bytes.fromhex(salt), rounds).hex()


def plain_digest(text: str) -> str:
    """Return the digest of a text without secrets."""
    return digest_of(text)[:_LENGTH]


def question_text(question: Mapping[str, Any]) -> str:
    """Encode a question as JSON."""
    return json_text(question, default=as_plain)


def question_in(text: str) -> dict[str, Any]:
    """Decode a question from JSON; its numbers keep all their digits."""
    question: dict[str, Any] = json.loads(text, parse_float=WrittenNumber)
    return question


def risk_record(risk: Risk) -> dict[str, Any]:
    """Return the marks of a tool that are shown in a question, as plain data."""
    return {name: getattr(risk, name) for name in _SHOWN_MARKS}


def risk_of(record: Mapping[str, Any]) -> Risk:
    """Return the marks that `risk_record` encoded."""
    return Risk(**{name: record[name] for name in _SHOWN_MARKS})


_SHOWN_MARKS: Final = ("tool", "source", "requires_approval", "read_only", "destructive", "open_world")


OnTimeout = Literal["reject", "exit_early", "raise", "continue"]
"""What happens if a question is not answered in time; `continue` is only for questions of `human_input`."""

DEFAULT_TIMEOUT = 300.0
"""How long a question waits for its answer by default, in seconds."""


class EditedCall(NamedTuple):
    """A call with the arguments of a reviewer's edit, which is judged and, if necessary, asked about like any other.

    Attributes:
        call: The call as a policy judges it.
        question: Creates the request for the reviewer from the reason for the question.
    """

    call: DescribedCall
    question: "Callable[[str], ReviewRequest]"


def _nothing_to_say(_: Mapping[str, Any] | str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """One question to a reviewer.

    Attributes:
        text: The text of the question, in one or a few lines.
        risk: The tool that would run, and its marks.
        arguments: All arguments, as plain JSON data, exactly as the tool would receive them.
        defaults: The values of the arguments that the call omits; `arguments` can contain some of them too.
        uses: What the call uses besides its arguments, by label, such as a folder, a command or a URL.
        asked_by: The mark, step or rule that requires the question.
        place: The position in the run, such as `step 3/5 · pipeline report`.
        preview: What the call would do, such as a unified diff, if the tool has a preview. A `Preview` also contains
            the state on which it is based.
        show: Additional plain data to show, which the `approve` of a step can select.
        timeout: How long to wait for the answer, in seconds; `None` waits forever.
        on_timeout: What happens if nobody answers in time.
        answer_is_text: Whether the question asks for a text (as `Edit`) rather than for approval.
        form: The JSON Schema of a form to fill in, for a question that is not about a call; the answer is an `Edit`.
        editable: Whether the arguments may be edited.
        may_be_remembered: Whether approval can be given permanently.
        call: The call as a policy judges it, without secrets; `None` if no rule could answer the question.
        digest: A digest of the tool and of everything that would be sent to it. Two calls that look the same to a
            reviewer can differ in what is not shown, such as a password, or in the tool behind a name. The answer to a
            question without a digest never applies to another call.
        step_digest: A digest of the tool and of the step that calls it once per item, or an empty string if there is no
            such step. An answer can apply to all calls of this tool in this step, whatever their arguments.
        binding: Binds an answer to a call that runs later; `None` if the call cannot wait for an answer.
        may_be_alike: Whether one answer may apply to all similar questions of the step.
        objection: Returns why edited arguments would be refused, or `None` if they are valid.
        preview_of: Returns what the call would do with edited arguments, if the tool has a preview.
        edited: Returns the call with edited arguments, and raises `ToolArgumentsError` if they are invalid. By default,
            it is the same call with these arguments.
    """

    text: str
    risk: Risk
    arguments: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    asked_by: str = ""
    place: str | None = None
    preview: str | None = None
    show: Any = None
    timeout: float | None = DEFAULT_TIMEOUT
    on_timeout: OnTimeout = "reject"
    answer_is_text: bool = False
    form: Mapping[str, Any] | None = None
    editable: bool = True
    may_be_remembered: bool = False
    call: DescribedCall | None = None
    digest: str = ""
    step_digest: str = ""
    binding: Binding | None = None
    may_be_alike: bool = True
    objection: Callable[[Mapping[str, Any] | str], str | None] = _nothing_to_say
    preview_of: Callable[[Mapping[str, Any] | str], str | None] = _nothing_to_say
    edited: Callable[[Mapping[str, Any] | str], EditedCall] | None = None

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the tool's name and the arguments, which is the same for equal calls."""
        return fingerprint(self.risk.tool, self.arguments)

    @property
    def question(self) -> tuple[str, str, str]:
        """A key that is equal for equal questions: the text, the call, and a digest that covers what is not shown."""
        return self.text, fingerprint(self.risk.tool, {"arguments": self.arguments, "show": self.show}), self.digest


def fingerprint(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the hexadecimal SHA-256 of a tool's name and its arguments as canonical JSON."""
    canonical = json.dumps([tool, arguments], sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=repr)
    return digest_of(canonical)


class Preview(str):
    """A description of what a call would do, with the state on which it is based.

    A tool whose effect depends on something that others can change returns one from `preview`. After approval,
    `context.shown_state(name)` returns the state that the reviewer saw. The tool compares it with the current state
    when it takes effect, and fails with the code `conflict` if they differ.

    Example:
        >>> from toolkit.approvals import Preview
        >>> preview = Preview("replaces version 3", state={"page": "3"})
        >>> preview, preview.state["page"]
        ('replaces version 3', '3')

    Attributes:
        state: A digest of the state of each thing that the effect depends on, by name.
    """

    __slots__ = ("state",)

    state: Mapping[str, str]

    def __new__(cls, text: str, *, state: Mapping[str, str]) -> Self:
        """Create the preview."""
        preview = super().__new__(cls, text)
        preview.state = MappingProxyType(dict(state))
        return preview


def state_of(preview: str | None) -> Mapping[str, str]:
    """Return the state on which a preview is based, which is empty for a plain string or `None`."""
    return preview.state if isinstance(preview, Preview) else {}


SHOWN: Final = ("text", "arguments", "defaults", "uses", "asked_by", "place", "preview", "show", "editable")
"""The attributes of a request that are stored with a pending approval."""


def request_of(pending: PendingApproval) -> ReviewRequest:
    """Return the request of a pending approval, to show it."""
    question = pending.question
    asked = {name: question[name] for name in SHOWN if name not in ("text", "arguments")}
    return replace(ReviewRequest(question["text"], risk_of(question["risk"]), question["arguments"]), **asked)


class ProgramAnswer(NamedTuple):
    """A way in which a program, such as a webhook, can give a decision.

    Attributes:
        word: The word for the decision.
        read: Returns the decision in an answer, or `None` if the answer lacks something.
        fits: Returns whether a question can be answered so; by default, every question can.
    """

    word: str
    read: "Callable[[Mapping[str, Any]], Decision | None]"
    fits: Callable[[ReviewRequest], bool] = lambda _: True


class Decision:
    """The decision of a reviewer.

    Attributes:
        word: The decision in events and in the audit log.
        answers: How programs can give it; by default, they cannot.
    """

    __slots__ = ()
    word: ClassVar["DecisionWord"]
    answers: ClassVar[tuple[ProgramAnswer, ...]] = ()

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """Return whether the call may run; by default, it may not.

        Raises:
            ExitEarlyError: If the decision ends the run.
        """
        return Refused(f"The decision '{self.word}' does not approve the call")


@dataclass(frozen=True, slots=True)
class Continue(Decision):
    """Run the call as it was shown.

    Attributes:
        same_again: Do not ask again in this run about the same tool with the same arguments.
        whole_step: Do not ask again in this run about any call of this tool in this step, whatever its arguments. Has
            an effect only if the request has a `step_digest`.
        always: Do not ask again in any run. Has an effect only if the request has `may_be_remembered`.
        rule: The rule that the reviewer wrote so that such calls need no question in the future; for the record.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    same_again: bool = False
    whole_step: bool = field(default=False, kw_only=True)
    always: bool = False
    rule: str = field(default="", kw_only=True)
    by: str = field(default="", kw_only=True)

    word: ClassVar["DecisionWord"] = "continue"
    answers: ClassVar = (ProgramAnswer("approve", lambda _: Continue(), lambda request: not request.answer_is_text),)

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """Let the call run."""
        return Granted(self, REVIEWER)


@dataclass(frozen=True, slots=True)
class Edit(Decision):
    """Run the call with other arguments, which are validated again.

    Attributes:
        arguments: All new arguments; for a tool that takes one text, the text is enough.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    arguments: Mapping[str, Any] | str
    by: str = field(default="", kw_only=True)

    word: ClassVar["DecisionWord"] = "edit"
    answers: ClassVar = (
        ProgramAnswer(
            "edit",
            lambda answer: Edit(answer["arguments"]) if isinstance(answer.get("arguments"), dict) else None,
            lambda request: request.editable and not request.answer_is_text,
        ),
        ProgramAnswer(
            "answer",
            lambda answer: Edit(answer["text"]) if isinstance(answer.get("text"), str) else None,
            lambda request: request.answer_is_text,
        ),
    )

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """Let the edited call run, if it may be edited."""
        if request.editable or request.answer_is_text:
            return Granted(self, REVIEWER)
        return rejected(Reject(request.objection(self.arguments) or "these arguments may not be edited"))


@dataclass(frozen=True, slots=True)
class Reject(Decision):
    """Reject this call; its caller receives the reason and can continue.

    Attributes:
        reason: The reason for the rejection.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    reason: str = ""
    by: str = field(default="", kw_only=True)

    word: ClassVar["DecisionWord"] = "reject"
    answers: ClassVar = (ProgramAnswer("reject", lambda answer: Reject(answer.get("reason", ""))),)

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """Refuse the call."""
        return rejected(self)


@dataclass(frozen=True, slots=True)
class ExitEarly(Decision):
    """End the whole run, keeping the results so far.

    Attributes:
        reason: The reason for ending the run.
        timed_out: Whether the reason is a timeout rather than an answer.
        interrupted: Whether the reason is an interruption, such as Ctrl-C, rather than an answer.
    """

    reason: str = ""
    timed_out: bool = False
    interrupted: bool = False

    word: ClassVar["DecisionWord"] = "exit_early"
    answers: ClassVar = (ProgramAnswer("stop", lambda answer: ExitEarly(answer.get("reason", ""))),)

    def outcome(self, request: ReviewRequest) -> "Granted | Refused":
        """End the run.

        Raises:
            ExitEarlyError: Always.
        """
        raise self.signal()

    def signal(self) -> ExitEarlyError:
        """Return the exception that ends the run."""
        reason = self.reason or "The reviewer ended the run"
        return ExitEarlyError(reason, timed_out=self.timed_out, interrupted=self.interrupted)


KINDS: Final[tuple[type[Decision], ...]] = (
    Continue,
    Edit,
    Reject,
    ExitEarly,
)
"""All kinds of decisions. Anything else that a reviewer returns is an error, and approves nothing."""
ANSWERS: Final = {answer.word: answer for kind in KINDS for answer in kind.answers}
"""All ways in which programs can give a decision."""

REVIEWER = "reviewer"
"""The `by` of a call that a reviewer granted or refused, rather than a rule or flag."""


def answers_to(request: ReviewRequest) -> list[str]:
    """Return the words with which a program can answer a question."""
    return [answer.word for answer in ANSWERS.values() if answer.fits(request)]


class Granted(NamedTuple):
    """The call may run.

    Attributes:
        decision: Whether the call runs as it was shown, or with arguments that the reviewer edited.
        by: The rule or flag that allowed the call, or `reviewer`; empty if the call needed no approval.
    """

    decision: Continue | Edit = Continue()
    by: str = ""


class Refused(NamedTuple):
    """The call must not run.

    Attributes:
        message: One sentence for the caller.
        reason: Only the reason; empty if there is none.
    """

    message: str
    reason: str = ""


class Settled(NamedTuple):
    """How a decision about a call was made.

    Attributes:
        call: The call, or `None` for a question that is not about a call.
        verdict: The policy's verdict on the call.
        request: The question, if there was one.
        decision: The answer to the question.
    """

    call: DescribedCall | None
    verdict: Verdict | None
    request: ReviewRequest | None = None
    decision: Decision | None = None


class Witness(Protocol):
    """Observes the decisions of a gate, for example to report them to an event listener."""

    def asking(self, request: ReviewRequest) -> AbstractContextManager[object]:
        """Return a context manager that is active while the question is open."""

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        """Receive a decision, who or what made it, and how long it took in seconds."""

    def settled(self, settled: Settled) -> None:
        """Receive the decision about a call before it takes effect, even if no question was asked."""


class NoWitness:
    """Ignores all decisions."""

    def asking(self, request: ReviewRequest) -> AbstractContextManager[object]:
        """Return a context manager that does nothing."""
        return nullcontext()

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        """Do nothing."""

    def settled(self, settled: Settled) -> None:
        """Do nothing."""


def rejected(decision: Reject) -> Refused:
    """Convert a reviewer's rejection to a refusal."""
    reason = decision.reason
    return Refused(f"Rejected by reviewer: {reason}" if reason else "Rejected by reviewer", reason)


def denied(because: str, what: str = "") -> Refused:
    """Return the refusal of a call that a policy denies.

    Args:
        because: The rule, or the reason, that the policy gives.
        what: What was denied, if it was not the call as it was made.
    """
    verb = f"{what} is denied" if what else "Denied"
    return Refused(f"{verb} by {because}" if because else verb, because)

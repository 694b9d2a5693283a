"""Review requests contain everything that a reviewer sees, and digests that bind the answer to it.

Pending approvals are requests whose answers can come later, from elsewhere, and after a restart. An answer is bound to
exactly one call by a digest of the tool's definition, of everything that is sent to the tool, and of everything that
was shown. It never applies to another call.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, runtime_checkable

from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.risks import Risk
from toolkit.json_texts import WrittenNumber, as_plain, digest_of, json_text

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
        on_timeout: What happens if there is no answer in time.
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

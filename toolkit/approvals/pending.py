"""Pending approvals are questions whose answers can come later, from elsewhere, and after a restart.

An answer is bound to exactly one call by a digest of the tool's definition, of everything that is sent to the tool, and
of everything that was shown. It never applies to another call.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, runtime_checkable

from toolkit.approvals.risks import Risk
from toolkit.json_texts import WrittenNumber, as_plain, json_text

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
    from hashlib import sha256

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:_LENGTH]


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

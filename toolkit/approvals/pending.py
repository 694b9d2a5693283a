"""Pending approvals: questions that wait for an answer which may come later, from elsewhere, after any restart.

An answer is bound to the exact call by a digest of its tool's definition, of everything that was sent to it and of all
that was shown. It is never taken for another call.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, runtime_checkable

from toolkit.approvals.risks import Risk
from toolkit.json_texts import WrittenNumber, as_plain, json_text

Answer = Literal["approve", "edit", "reject"]
"""What somebody may answer later."""

_ROUNDS: Final = 100_000
_LENGTH: Final = 32


class KeptAnswer(NamedTuple):
    """An answer, as it is kept.

    Attributes:
        answer: What was decided.
        by: Who decided.
        at: When, in seconds since 1970.
        reason: Why, for those who chose the call.
        arguments: The arguments of an edit; `None` of another answer.
    """

    answer: Answer
    by: str
    at: float
    reason: str = ""
    arguments: dict[str, Any] | None = None


class PendingApproval(NamedTuple):
    """A question that waits for its answer.

    Attributes:
        id: Its unique id.
        run: The run that it belongs to.
        path: Where in that run the call is made.
        salt: What the digest was made with.
        digest: What binds an answer to the call.
        alike: What the questions share that one step asks for its items; empty where each is to be answered alone.
        asked: When it was asked, in seconds since 1970.
        question: What is shown, and what an edit is checked against, as plain data without secrets.
        answer: The answer, once there is one.
    """

    id: str
    run: str
    path: str
    salt: str
    digest: str
    alike: str
    asked: float
    question: dict[str, Any]
    answer: KeptAnswer | None = None

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the question that a row of a table holds: all fields, and those of its answer beside them."""
        answer = None
        if row["answer"] is not None:
            arguments = None if row["arguments"] is None else question_in(row["arguments"])
            answer = KeptAnswer(row["answer"], row["by"], row["at"], row["reason"], arguments)
        named = {name: row[name] for name in ("id", "run", "path", "salt", "digest", "alike", "asked")}
        return cls(**named, question=question_in(row["question"]), answer=answer)

    def is_about(self, binding: "Binding") -> bool:
        """Return whether a call is the one that was asked about."""
        import hmac  # noqa: PLC0415 - only a question that waits needs it

        return self.path == binding.path and hmac.compare_digest(self.digest, binding.digest(self.salt))

    def as_record(self) -> dict[str, Any]:
        """Return what people and programs are shown of it, as plain data."""
        shown = {name: value for name, value in self.question.items() if name not in _FOR_EDITS}
        return {"id": self.id, "run": self.run, "path": self.path, "asked": self.asked, **shown}


_FOR_EDITS: Final = ("parameters",)


@runtime_checkable
class PendingApprovals(Protocol):
    """Keeps the questions of one run; a `Journal` that does so lets calls wait for their answers."""

    def pending_at(self, path: str) -> PendingApproval | None:
        """Return the question that was asked at a place, unless a call there has begun since its answer."""

    def keep_pending(self, pending: PendingApproval) -> None:
        """Keep a question, in the place of what was asked there before.

        Raises:
            JournalError: If that cannot be written.
        """


class Binding(NamedTuple):
    """What binds an answer to one call, however often the program has been started since the question.

    Attributes:
        approvals: Keeps the question.
        run: The run that the call belongs to.
        path: Where in that run it is made.
        digest: Returns a digest of the call, given a salt. Secrets count for it, and cannot be found
            from it.
        alike: What the questions of one step for its items share; empty where each is to be answered alone.
        definition: The digest of the tool's definition.
        parameters: The schema that an edit is checked against.
    """

    approvals: PendingApprovals
    run: str
    path: str
    digest: Callable[[str], str]
    alike: str = ""
    definition: str = ""
    parameters: Mapping[str, Any] = {}


def salted_digest(text: str, salt: str, *, has_secrets: bool) -> str:
    """Return a digest that is the same on any day and any machine; from one with secrets, guessing them is slow."""
    from hashlib import pbkdf2_hmac  # noqa: PLC0415 - it loads OpenSSL, and only a question that waits needs it

    rounds = _ROUNDS if has_secrets else 1
    return pbkdf2_hmac("sha256", text.encode(errors="surrogatepass"), bytes.fromhex(salt), rounds).hex()


def plain_digest(text: str) -> str:
    """Return the digest of a text without secrets."""
    from hashlib import sha256  # noqa: PLC0415 - as above

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:_LENGTH]


def question_text(question: Mapping[str, Any]) -> str:
    """Return a question as JSON text."""
    return json_text(question, default=as_plain)


def question_in(text: str) -> dict[str, Any]:
    """Return the question that is written as JSON text; its numbers keep their digits."""
    question: dict[str, Any] = json.loads(text, parse_float=WrittenNumber)
    return question


def risk_record(risk: Risk) -> dict[str, Any]:
    """Return the marks of a tool that a question shows, as plain data."""
    return {name: getattr(risk, name) for name in _SHOWN_MARKS}


def risk_of(record: Mapping[str, Any]) -> Risk:
    """Return the marks that `risk_record` gave."""
    return Risk(**{name: record[name] for name in _SHOWN_MARKS})


_SHOWN_MARKS: Final = ("tool", "source", "requires_approval", "read_only", "destructive", "open_world")

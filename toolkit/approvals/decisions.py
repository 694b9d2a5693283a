"""The possible decisions of a reviewer, and those of a gate about a call.

Each kind of decision is a class that declares all that it means: what the gate does, its word in events and in the
audit log, and how a program gives it. Only the classes in `KINDS` are decisions.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol

from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import ReviewRequest
from toolkit.errors import ExitEarlyError

if TYPE_CHECKING:
    from toolkit.events import DecisionWord


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

"""The possible decisions of a reviewer, and those of a gate about a call."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import ReviewRequest
from toolkit.errors import ExitEarlyError


@dataclass(frozen=True, slots=True)
class Continue:
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


@dataclass(frozen=True, slots=True)
class Edit:
    """Run the call with other arguments, which are validated again.

    Attributes:
        arguments: All new arguments; for a tool that takes one text, the text is enough.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    arguments: Mapping[str, Any] | str
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Reject:
    """Reject this call; its caller receives the reason and can continue.

    Attributes:
        reason: The reason for the rejection.
        by: The person who decided, if not the one who runs the program; for the record.
    """

    reason: str = ""
    by: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class ExitEarly:
    """End the whole run, keeping the results so far.

    Attributes:
        reason: The reason for ending the run.
        timed_out: Whether the reason is a timeout rather than an answer.
        interrupted: Whether the reason is an interruption, such as Ctrl-C, rather than an answer.
    """

    reason: str = ""
    timed_out: bool = False
    interrupted: bool = False

    def signal(self) -> ExitEarlyError:
        """Return the exception that ends the run."""
        reason = self.reason or "The reviewer ended the run"
        return ExitEarlyError(reason, timed_out=self.timed_out, interrupted=self.interrupted)


Decision = Continue | Edit | Reject | ExitEarly
"""The decision of a reviewer."""


REVIEWER = "reviewer"
"""The `by` of a call that a reviewer granted or refused, rather than a rule or flag."""


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

"""The decisions of a gate about a call, and the protocol to observe them."""

from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import ReviewRequest

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

    def asking(self, request: ReviewRequest) -> AbstractContextManager[object]:  # noqa: ARG002 - nothing is reported
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

"""Permissions: what a gate decides about a call, and who watches it decide."""

from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol

from toolkit.approvals.decisions import Continue, Decision, Edit, Reject
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.requests import ReviewRequest

REVIEWER = "reviewer"
"""Who granted or refused a call, where it was a reviewer and not a rule or flag."""


class Granted(NamedTuple):
    """The call may run.

    Attributes:
        decision: Whether it runs as it was shown, or with the arguments that a reviewer put in their place.
        by: The rule or flag that allowed it, or `reviewer`; empty where nobody had to be asked.
    """

    decision: Continue | Edit = Continue()
    by: str = ""


class Refused(NamedTuple):
    """The call must not run.

    Attributes:
        message: What its caller receives, in one sentence.
        reason: The reason alone; empty where none was given.
    """

    message: str
    reason: str = ""


class Settled(NamedTuple):
    """How a call was decided about.

    Attributes:
        call: The call; `None` where nothing runs, and an answer was wanted.
        verdict: The policy's verdict on it.
        request: The question, where there was one.
        decision: The answer to it.
    """

    call: DescribedCall | None
    verdict: Verdict | None
    request: ReviewRequest | None = None
    decision: Decision | None = None


class Witness(Protocol):
    """Watches a gate decide, such as for a listener."""

    def asking(self, request: ReviewRequest) -> AbstractContextManager[object]:
        """Return what is entered while the question is open."""

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        """Take note of a decision, who made it, and how long it took."""

    def settled(self, settled: Settled) -> None:
        """Receive the decision on a call before it takes effect, also where no question was asked."""


class NoWitness:
    """Watches nothing."""

    def asking(self, request: ReviewRequest) -> AbstractContextManager[object]:  # noqa: ARG002 - it looks at nothing
        """Return nothing to enter."""
        return nullcontext()

    def decided(self, tool: str, decision: Decision, by: str, seconds: float) -> None:
        """Take no note."""

    def settled(self, settled: Settled) -> None:
        """Take no note."""


def rejected(decision: Reject) -> Refused:
    """Return the refusal that a reviewer's rejection is."""
    reason = decision.reason
    return Refused(f"Rejected by reviewer: {reason}" if reason else "Rejected by reviewer", reason)


def denied(because: str) -> Refused:
    """Return the refusal of a call that a policy denies."""
    return Refused(f"Denied by {because}" if because else "Denied", because)

"""The protocol of reviewers and the ready ones; the reviewer for terminals is part of the command line."""

from collections.abc import Iterable
from typing import Protocol

from toolkit.approvals.decisions import Continue, Decision, Reject
from toolkit.approvals.requests import ReviewRequest


class Reviewer(Protocol):
    """Answers questions about calls.

    A reviewer that can answer only one question at a time, across all threads and event loops, sets `one_at_a_time` to
    true. If a reviewer raises, or returns anything other than a decision, the call is not approved.

    Example:
        >>> from toolkit import Continue, Reject, Tool, ToolContext
        >>> class OnlyReports:
        ...     async def review(self, request):
        ...         if request.arguments["path"].startswith("reports/"):
        ...             return Continue()
        ...         return Reject("only reports may be deleted")
        >>> path = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        >>> delete = Tool.create("delete", "Deletes a file.", path, lambda path: "deleted", destructive=True)
        >>> delete.run({"path": "notes.txt"}, ToolContext(reviewer=OnlyReports())).text
        'Error: Rejected by reviewer: only reports may be deleted'
    """

    async def review(self, request: ReviewRequest) -> Decision:
        """Return the decision about a call."""


class AutoReviewer:
    """Approves everything, for demonstrations and trusted environments."""

    def __init__(self, delay: float = 0.0) -> None:
        """Create the reviewer.

        Args:
            delay: How long to wait before each answer, in seconds.

        Raises:
            ValueError: If the delay is negative.
        """
        if delay < 0:
            raise ValueError(f"the delay must not be negative, but is {delay}")
        self.delay = delay

    async def review(self, request: ReviewRequest) -> Decision:  # noqa: ARG002 - the answer is always the same
        """Approve the call."""
        if self.delay:
            import asyncio

            await asyncio.sleep(self.delay)
        return Continue()


class ScriptedReviewer:
    """Returns prepared answers in order, and rejects when there are no more.

    Attributes:
        requests: The questions so far.
    """

    def __init__(self, decisions: Iterable[Decision]) -> None:
        """Create the reviewer.

        Args:
            decisions: The answers, in order.
        """
        self._decisions = iter(decisions)
        self.requests: list[ReviewRequest] = []

    async def review(self, request: ReviewRequest) -> Decision:
        """Record the question and return the next answer."""
        self.requests.append(request)
        return next(self._decisions, Reject("the script has no further answer"))


class RefusingReviewer:
    """Rejects everything, for use when no person is available."""

    available = False

    def __init__(self, reason: str = "there is no one to ask") -> None:
        """Create the reviewer.

        Args:
            reason: The reason for each rejection.
        """
        self.reason = reason

    async def review(self, request: ReviewRequest) -> Decision:  # noqa: ARG002 - the answer is always the same
        """Reject the call."""
        return Reject(self.reason)

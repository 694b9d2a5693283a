"""Reviewers: who answers. The ready ones; the console's lives in the command line."""

from collections.abc import Iterable
from typing import Protocol

from toolkit.approvals.decisions import Continue, Decision, Reject
from toolkit.approvals.requests import ReviewRequest


class Reviewer(Protocol):
    """Answers a question about one call.

    A reviewer that can only be asked one question at a time, over all threads and loops, sets `one_at_a_time` to true.
    One that raises, or returns anything other than a decision, has not approved.

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
        """Return what is to happen with the call."""


class AutoReviewer:
    """Approves everything, after `delay` seconds; for demonstrations and trusted surroundings."""

    def __init__(self, delay: float = 0.0) -> None:
        """Keep the delay.

        Raises:
            ValueError: If the delay is negative.
        """
        if delay < 0:
            raise ValueError(f"the delay must not be negative, but is {delay}")
        self.delay = delay

    async def review(self, request: ReviewRequest) -> Decision:  # noqa: ARG002 - it looks at nothing
        """Approve."""
        if self.delay:
            import asyncio

            await asyncio.sleep(self.delay)
        return Continue()


class ScriptedReviewer:
    """Gives prepared answers in order, and keeps the questions in `requests`; when it runs out, it rejects."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        """Keep the answers."""
        self._decisions = iter(decisions)
        self.requests: list[ReviewRequest] = []

    async def review(self, request: ReviewRequest) -> Decision:
        """Give the next answer."""
        self.requests.append(request)
        return next(self._decisions, Reject("the script has no further answer"))


class RefusingReviewer:
    """Rejects everything, for use when nobody can be asked."""

    available = False

    def __init__(self, reason: str = "there is no one to ask") -> None:
        """Keep the reason."""
        self.reason = reason

    async def review(self, request: ReviewRequest) -> Decision:  # noqa: ARG002 - it looks at nothing
        """Reject."""
        return Reject(self.reason)

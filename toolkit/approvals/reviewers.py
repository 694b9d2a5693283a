"""The protocol of reviewers, the ready ones, and the one way to ask: one question at a time, and a checked answer."""

import inspect
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, Protocol

from toolkit.approvals.decisions import KINDS, Continue, Decision, ExitEarly, Reject
from toolkit.approvals.requests import ReviewRequest
from toolkit.errors import ApprovalTimeoutError, ConfigurationError, Signal


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

    async def review(self, request: ReviewRequest) -> Decision:
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

    async def review(self, request: ReviewRequest) -> Decision:
        """Reject the call."""
        return Reject(self.reason)


_TURN = threading.Lock()


class _Turn:
    """One turn to ask a question; `is_on` is true until the answer."""

    def __init__(self) -> None:
        self.is_on = True


_OUR_TURN: ContextVar[_Turn | None] = ContextVar("toolkit_turn_of_asking", default=None)
"""The turn of the current code, if it runs on behalf of a reviewer, in any thread or event loop."""


@asynccontextmanager
async def turn_of(reviewer: Reviewer) -> AsyncIterator[None]:
    """Wait until no other question is open, across all threads and event loops of the process.

    Raises:
        ConfigurationError: If the reviewer itself causes a question while it answers one, which would deadlock.
    """
    if not getattr(reviewer, "one_at_a_time", False):
        yield
        return
    if (ours := _OUR_TURN.get()) is not None and ours.is_on:
        message = "a tool that the reviewer calls needs approval, but the reviewer is still answering another question"
        raise ConfigurationError(f"{message}; call only tools that need no approval there, or use a separate context")
    import asyncio

    # An asyncio lock belongs to one loop, and a thread that blocks on this one could not be cancelled.
    while not _TURN.acquire(blocking=False):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    turn = _Turn()
    before = _OUR_TURN.set(turn)
    try:
        yield
    finally:
        turn.is_on = False
        _OUR_TURN.reset(before)
        _TURN.release()


async def answer_of(reviewer: Reviewer, request: ReviewRequest) -> Decision:
    """Ask a reviewer and return the decision.

    Raises:
        ConfigurationError: If the object is not a valid reviewer, or does not return a decision.
        ApprovalTimeoutError: If there is no answer in time and `on_timeout` is `raise`.
    """
    import asyncio

    _check_kind(reviewer, request)
    clock = asyncio.timeout(request.timeout)
    deadline = None if request.timeout is None else monotonic() + request.timeout
    answer: Any
    try:
        async with clock:
            answer = await _awaited(reviewer, request)
    except Signal:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a reviewer raises, it has not approved
        answer = Reject(f"the reviewer failed: {type(error).__name__}: {error}")
    # A reviewer can catch the cancellation and answer anyway, or block the event loop beyond the timeout.
    if clock.expired() or (deadline is not None and monotonic() >= deadline):
        return _after_timeout(request)
    if not isinstance(answer, KINDS):
        raise _wrong(reviewer, f"'review' returned {answer!r}")
    return answer


def _check_kind(reviewer: object, request: ReviewRequest) -> None:
    """Check that an object can be asked.

    Raises:
        ConfigurationError: If it has no method `review` that takes one request.
    """
    review = getattr(reviewer, "review", None)
    if isinstance(reviewer, type):
        raise ConfigurationError(f"the reviewer is the class '{reviewer.__name__}'; pass an instance of it")
    if not callable(review):
        raise _wrong(reviewer, "it has no method 'review'")
    try:
        inspect.signature(review).bind(request)
    except TypeError as error:
        raise _wrong(reviewer, f"'review' does not take one request: {error}") from error
    except ValueError:  # a method written in C can have no signature
        return


async def _awaited(reviewer: Reviewer, request: ReviewRequest) -> Any:
    answer: Any = reviewer.review(request)
    if not inspect.isawaitable(answer):
        raise _wrong(reviewer, f"'review' is not async: it returned {answer!r}")
    return await answer


def _wrong(reviewer: object, why: str) -> ConfigurationError:
    *kinds, last = (kind.__name__ for kind in KINDS)
    needed = f"a reviewer has 'async def review(self, request)' and returns {', '.join(kinds)} or {last}"
    return ConfigurationError(f"{type(reviewer).__name__!r} cannot be used as a reviewer: {why}; {needed}")


def _after_timeout(request: ReviewRequest) -> Decision:
    reason = f"nobody answered within {request.timeout:g} seconds"
    match request.on_timeout:
        case "continue" if request.answer_is_text:
            return Continue()
        case "exit_early":
            return ExitEarly(reason, timed_out=True)
        case "raise":
            raise ApprovalTimeoutError(f"{reason} whether {request.risk.tool!r} may run")
        case _:
            return Reject(reason)

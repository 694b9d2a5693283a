"""The protocol of reviewers, the ready ones, and the one way to ask: one question at a time, and a checked answer.

One of the ready ones stores questions so that their answers can come later and from elsewhere.
"""

import inspect
import os
import threading
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolkit.approvals.decisions import (
    KINDS,
    SHOWN,
    ApprovalAnswer,
    Continue,
    Decision,
    Edit,
    ExitEarly,
    PendingApproval,
    Reject,
    ReviewRequest,
    question_in,
    question_text,
    risk_record,
)
from toolkit.errors import ApprovalPending, ApprovalTimeoutError, ConfigurationError, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolkit.problems import Problem


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
    """Rejects everything, for use when no person is available.

    Attributes:
        reason: The reason for each rejection.
        refused: The last call that was rejected, if any.
    """

    available = False

    def __init__(self, reason: str = "there is no one to ask") -> None:
        """Create the reviewer.

        Args:
            reason: The reason for each rejection.
        """
        self.reason = reason
        self.refused: ReviewRequest | None = None

    async def review(self, request: ReviewRequest) -> Decision:
        """Reject the call."""
        self.refused = request
        return Reject(self.reason)


_TURN = threading.Lock()


class _Turn:
    """One turn to ask a question; `is_on` is true until the answer."""

    def __init__(self) -> None:
        self.is_on = True


_OUR_TURN: ContextVar[_Turn | None] = ContextVar("toolkit_turn_of_asking", default=None)
"""The turn of the current code, if it runs on behalf of a reviewer, in any thread or event loop."""


@asynccontextmanager
async def turn_of(reviewer: object) -> AsyncIterator[None]:
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


_SALT_BYTES: Final = 16
_ID_LENGTH: Final = 12


class WaitingReviewer:
    """Stores each question about a call of a resumable run, and suspends the run until there is an answer.

    When the run is resumed and reaches the same call again, the stored answer is used. If the call has changed since
    (its arguments, the tool's definition or its effect), the question is asked again. Questions that a tool asks while
    it works, and those that ask for a text, cannot wait; another reviewer answers them.
    """

    def __init__(self, otherwise: Reviewer) -> None:
        """Create the reviewer.

        Args:
            otherwise: The reviewer for questions that cannot wait.
        """
        self._otherwise = otherwise

    @property
    def available(self) -> bool:
        """Whether the reviewer for questions that cannot wait is available."""
        return bool(getattr(self._otherwise, "available", True))

    @property
    def one_at_a_time(self) -> bool:
        """Whether the reviewer for questions that cannot wait answers only one question at a time."""
        return bool(getattr(self._otherwise, "one_at_a_time", False))

    @property
    def inform(self) -> "Callable[[Problem], object] | None":
        """Tells the reviewer for questions that cannot wait about a problem with its answer, if it can be told."""
        return getattr(self._otherwise, "inform", None)

    async def review(self, request: ReviewRequest) -> Decision:
        """Return the stored answer for this call.

        Raises:
            ApprovalPending: If there is no answer yet.
            JournalError: If the question cannot be stored.
        """
        binding = request.binding
        if binding is None or request.answer_is_text or request.form is not None:
            return await self._otherwise.review(request)
        known = binding.approvals.pending_at(binding.path)
        if known is None or not known.is_about(binding):
            known = _pending(request)
            binding.approvals.add_pending(known)
        if known.answer is None:
            raise ApprovalPending([known.id])
        return _decision_of(known.answer)


def _pending(request: ReviewRequest) -> PendingApproval:
    binding = request.binding
    assert binding is not None  # only questions with a binding can wait
    salt = os.urandom(_SALT_BYTES).hex()
    digest = binding.digest(salt)
    shown = {name: getattr(request, name) for name in SHOWN} | {"preview": request.preview and str(request.preview)}
    question = {**shown, "risk": risk_record(request.risk), "definition": binding.definition}
    if request.editable:
        question["parameters"] = binding.parameters
    return PendingApproval(
        digest[:_ID_LENGTH],
        binding.run,
        binding.path,
        salt,
        digest,
        alike=binding.alike if request.may_be_alike else "",
        asked=time.time(),
        question=question_in(question_text(question)),
    )


def _decision_of(kept: ApprovalAnswer) -> Decision:
    match kept:
        case ApprovalAnswer("approve"):
            return Continue(by=kept.by)
        case ApprovalAnswer("edit", arguments=dict(arguments)):
            return Edit(arguments, by=kept.by)
    return Reject(kept.reason, by=kept.by)

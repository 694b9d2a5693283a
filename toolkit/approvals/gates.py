"""Gates: the one place where a question is put and its answer is trusted or not.

A gate fails closed. No reviewer, a reviewer that raises or returns nothing, and a time that runs out never approve.
"""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from toolkit.approvals.decisions import Continue, Decision, Edit, ExitEarly, Reject
from toolkit.approvals.policies import ByRisk, DescribedCall, Policy, Verdict
from toolkit.approvals.requests import DEFAULT_TIMEOUT, OnTimeout, ReviewRequest
from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ApprovalTimeoutError, ConfigurationError, Signal
from toolkit.running import drive_or_run


@dataclass(frozen=True, slots=True)
class Demand:
    """A question that a caller wants before one call, whatever the marks of the tool say.

    Attributes:
        asked_by: Who wants it, such as `step 'publish'`.
        message: What to ask; without one the call itself is the question.
        show: More to show with the question, as plain data.
        editable: Whether the reviewer may change the arguments.
    """

    asked_by: str
    message: str | None = None
    show: Any = None
    editable: bool = True


class Gate:
    """Judges calls by a policy and puts the questions to a reviewer."""

    def __init__(
        self,
        reviewer: Reviewer | None = None,
        policy: Policy | None = None,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        on_timeout: OnTimeout = "reject",
    ) -> None:
        """Keep who is asked and when.

        Args:
            reviewer: Who answers; without one a question is a configuration error.
            policy: Who must be asked; `ByRisk` unless one is given.
            timeout: Seconds to wait for an answer; `None` waits for ever.
            on_timeout: What an unanswered question does: `reject`, `exit_early` or `raise`.

        Raises:
            ConfigurationError: If an unanswered question were to let a call run.
        """
        if on_timeout == "continue":
            message = "a gate never continues on a timeout; use 'reject', 'exit_early' or 'raise'"
            raise ConfigurationError(message)
        self.reviewer = reviewer
        self.policy = policy or ByRisk()
        self.timeout = timeout
        self.on_timeout = on_timeout
        self._same_again: set[tuple[str, str, str]] = set()
        self._endings: list[ExitEarly] = []

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self.reviewer is not None and getattr(self.reviewer, "available", True)

    def judge(self, call: DescribedCall) -> Verdict:
        """Return what the policy says about a call."""
        return self.policy.judge(call)

    async def ask(self, request: ReviewRequest) -> Decision:
        """Put a question and return a decision that can be trusted: nothing but a plain yes is one.

        Raises:
            ConfigurationError: If there is no reviewer.
            ApprovalTimeoutError: If the time is over and the request says to raise.
        """
        if self.reviewer is None:
            message = f"tool {request.risk.tool!r} requires approval, but there is no reviewer"
            raise ConfigurationError(f"{message}; give the context one: ToolContext(reviewer=…)")
        if self._is_answered(request):
            return Continue()
        return await drive_or_run(self._take_turn(self.reviewer, request))

    def _is_answered(self, request: ReviewRequest) -> bool:
        """Return whether this very question was answered for the whole run."""
        return not request.answer_is_text and request.question in self._same_again

    async def _take_turn(self, reviewer: Reviewer, request: ReviewRequest) -> Decision:
        endings = len(self._endings)
        async with _turn(reviewer):
            if self._is_answered(request):  # while this one waited for its turn
                return Continue()
            if len(self._endings) > endings:  # likewise: nobody wants to be asked about a run that is over
                return self._endings[-1]
            decision = await self._answer(reviewer, request)
            if isinstance(decision, Continue) and decision.same_again:
                self._same_again.add(request.question)
            if isinstance(decision, ExitEarly):
                self._endings.append(decision)
            return decision

    async def _answer(self, reviewer: Reviewer, request: ReviewRequest) -> Decision:
        import asyncio

        clock = asyncio.timeout(request.timeout)
        try:
            async with clock:
                decision = await reviewer.review(request)
        except Signal:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a reviewer raises, it has not approved
            decision = Reject(f"the reviewer failed: {type(error).__name__}: {error}")
        if clock.expired():  # even where a reviewer has caught its end and answered yet
            return _after_timeout(request)
        if isinstance(decision, Continue | Edit | Reject | ExitEarly):
            return decision
        return Reject(f"the reviewer gave no decision but {decision!r}")  # type: ignore[unreachable]  # reviewers are foreign code


def _after_timeout(request: ReviewRequest) -> Decision:
    reason = f"nobody answered within {request.timeout:g} seconds"
    match request.on_timeout:
        case "continue" if request.answer_is_text:
            return Continue()
        case "exit_early":
            return ExitEarly(reason, timed_out=True)
        case "raise":
            message = f"{reason} whether {request.risk.tool!r} may run"
            raise ApprovalTimeoutError(message)
        case _:
            return Reject(reason)


_TURN = threading.Lock()


class _Turn:
    """One turn of asking; `is_on` is true from the question to the answer."""

    def __init__(self) -> None:
        self.is_on = True


_OUR_TURN: ContextVar[_Turn | None] = ContextVar("toolkit_turn_of_asking", default=None)
"""The turn within which something runs: a reviewer's own work, in whatever threads and loops it is done."""


@asynccontextmanager
async def _turn(reviewer: Reviewer) -> AsyncIterator[None]:
    """Wait until nobody else is asking, over all threads and event loops of the process.

    Raises:
        ConfigurationError: If it is the reviewer itself that asks, while it is asked: it would wait for ever.
    """
    if not getattr(reviewer, "one_at_a_time", False):
        yield
        return
    if (ours := _OUR_TURN.get()) is not None and ours.is_on:
        message = "while a reviewer is asked, what it calls wants leave too, and no second question can be asked"
        raise ConfigurationError(f"{message}; let it call only what needs none, or in a context of its own")
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

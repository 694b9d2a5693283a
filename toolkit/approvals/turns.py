"""Ensures that some reviewers get only one question at a time, across all threads and event loops."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ConfigurationError

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

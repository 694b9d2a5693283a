"""Turns: reviewers that can be asked only one question at a time are, over all threads and event loops."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

from toolkit.approvals.reviewers import Reviewer
from toolkit.errors import ConfigurationError

_TURN = threading.Lock()


class _Turn:
    """One turn of asking; `is_on` is true from the question to the answer."""

    def __init__(self) -> None:
        self.is_on = True


_OUR_TURN: ContextVar[_Turn | None] = ContextVar("toolkit_turn_of_asking", default=None)
"""The turn within which something runs: a reviewer's own work, in all threads and loops that it uses."""


@asynccontextmanager
async def turn_of(reviewer: Reviewer) -> AsyncIterator[None]:
    """Wait until nobody else is asking, over all threads and event loops of the process.

    Raises:
        ConfigurationError: If the reviewer itself asks while it is being asked: it would wait forever.
    """
    if not getattr(reviewer, "one_at_a_time", False):
        yield
        return
    if (ours := _OUR_TURN.get()) is not None and ours.is_on:
        message = "a tool called by the reviewer itself needs approval, and a second question cannot be asked meanwhile"
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

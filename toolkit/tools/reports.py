"""Reports: what takes time has one start and, whatever happens, one finish, which a listener receives."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

from toolkit.events import CALLS, Event

Started = Callable[[int], Event]
"""Makes the event of a start from the number of the call."""
Finished = Callable[[int, float], Event]
"""Makes the event of the finish from the number of the call, and the seconds that it took."""

UNHEARD: AbstractContextManager[int] = nullcontext(0)
"""What stands for a report where nobody listens."""


class Report:
    """A report of one thing: its start is sent on entry, and its finish on exit, however it ends."""

    __slots__ = ("_began", "_call", "_emit", "_finished", "_started")

    def __init__(self, emit: Callable[[Event], None], started: Started, finished: Finished) -> None:
        """Keep the listener, and what to report."""
        self._emit = emit
        self._started = started
        self._finished = finished

    def __enter__(self) -> int:
        """Report the start; return the number of the call."""
        self._call = next(CALLS)
        self._emit(self._started(self._call))
        self._began = perf_counter()
        return self._call

    def __exit__(self, *_: object) -> None:
        self._emit(self._finished(self._call, perf_counter() - self._began))

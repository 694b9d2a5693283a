"""Reports the start of something that takes time and, whatever happens, its finish to a listener."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

from toolkit.events import CALLS, Event

Started = Callable[[int], Event]
"""Creates the event for the start from the number of the call."""
Finished = Callable[[int, float], Event]
"""Creates the event for the finish from the number of the call and the duration in seconds."""

NO_REPORT: AbstractContextManager[int] = nullcontext(0)
"""Used instead of a `Report` if there is no listener."""


class Report:
    """A context manager that reports a start on entry and the finish on exit, however the block ends."""

    __slots__ = ("_began", "_call", "_emit", "_finished", "_started")

    def __init__(self, emit: Callable[[Event], None], started: Started, finished: Finished) -> None:
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

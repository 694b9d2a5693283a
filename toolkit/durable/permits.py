"""Permits: so many items are done side by side in a worker, and so many more are taken on that none has to wait."""

import threading
import time
from typing import Final

_MOST_AHEAD: Final = 64
_WEIGHT: Final = 0.1


class Stopped(BaseException):
    """The worker ends: nothing is kept of the item, which others do, or this one after its start."""


class Permits:
    """What the threads of a worker wait for before they do an item."""

    def __init__(self, jobs: int, glance: float) -> None:
        """Nothing is done yet.

        Args:
            jobs: How many items are done side by side.
            glance: The seconds between two looks for work.
        """
        self._jobs, self._glance = jobs, glance
        self._free = jobs
        self._seconds: float | None = None
        self._is_over = False
        self._moved = threading.Condition()
        self._own = threading.local()

    def room(self, limited: bool) -> int:  # noqa: FBT001 - its one argument
        """Return how many items the worker takes on: more than it does at once, where they are over in no time.

        Args:
            limited: Whether all workers together are: then what waits here would count as what is done.
        """
        with self._moved:
            if self._is_over:
                return 0
            if limited or self._seconds is None:
                return self._jobs
            ahead = self._jobs * self._glance / max(self._seconds, 1e-6)
            return self._jobs + min(int(ahead), self._jobs * _MOST_AHEAD)

    def take(self) -> None:
        """Wait for a permit, for the item of this thread.

        Raises:
            Stopped: If the worker ends meanwhile.
        """
        with self._moved:
            while not self._free and not self._is_over:
                self._moved.wait()
            if self._is_over:
                raise Stopped
            self._free -= 1
        self._own.began = time.perf_counter()

    def give_back(self) -> None:
        """Give back what this thread has, if it has any; what came of its item is stored, or will not be."""
        began, self._own.began = getattr(self._own, "began", None), None
        if began is None:
            return
        seconds = time.perf_counter() - began
        with self._moved:
            before = seconds if self._seconds is None else self._seconds
            self._seconds = before + (seconds - before) * _WEIGHT
            self._free += 1
            self._moved.notify_all()

    def end(self) -> None:
        """Give no more permits."""
        with self._moved:
            self._is_over = True
            self._moved.notify_all()

    def wait_for_all(self, seconds: float) -> bool:
        """Wait until no permit is in use, so many seconds at most; return whether none is."""
        with self._moved:
            return self._moved.wait_for(lambda: self._free == self._jobs, seconds)

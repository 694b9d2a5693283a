"""Permits limit how many items a worker runs in parallel, while it fetches enough of them to stay busy."""

import threading
import time
from typing import Final

_MOST_AHEAD: Final = 64
_WEIGHT: Final = 0.1


class Stopped(BaseException):
    """Raised if the worker stops. The outcome of the item is not stored; another worker, or this one later, runs it."""


class Permits:
    """Permits that the threads of a worker acquire before they run an item."""

    def __init__(self, jobs: int, polling: float) -> None:
        """Create the permits, all of them free.

        Args:
            jobs: Maximum number of items to run in parallel.
            polling: Polling interval of the queues in seconds.
        """
        self._jobs, self._polling = jobs, polling
        self._free = jobs
        self._seconds: float | None = None
        self._is_over = False
        self._moved = threading.Condition()
        self._own = threading.local()

    def room(self, limited: bool) -> int:  # noqa: FBT001 - the only argument
        """Return the maximum number of items to fetch, which is more than run in parallel if items are short.

        Args:
            limited: Whether the queue has a limit across all workers; items that wait here would count towards it.
        """
        with self._moved:
            if self._is_over:
                return 0
            if limited or self._seconds is None:
                return self._jobs
            ahead = self._jobs * self._polling / max(self._seconds, 1e-6)
            return self._jobs + min(int(ahead), self._jobs * _MOST_AHEAD)

    def take(self) -> None:
        """Wait for a permit for the item of this thread.

        Raises:
            Stopped: If the worker stops while waiting.
        """
        with self._moved:
            while not self._free and not self._is_over:
                self._moved.wait()
            if self._is_over:
                raise Stopped
            self._free -= 1
        self._own.began = time.perf_counter()

    def release(self) -> None:
        """Release the permit of this thread, if it has one: the outcome of its item has been stored or discarded."""
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
        """Stop granting permits."""
        with self._moved:
            self._is_over = True
            self._moved.notify_all()

    def wait_for_all(self, seconds: float) -> bool:
        """Wait for at most `seconds` until all permits are free; return whether they are."""
        with self._moved:
            return self._moved.wait_for(lambda: self._free == self._jobs, seconds)

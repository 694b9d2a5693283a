"""The watchdog: a thread that ends a run which does not end by itself after a signal, or after its time.

A tool may block the event loop or the main thread, or ignore that it is cancelled. The watchdog reads signals from a
pipe that the system's own handler writes to, so it needs neither. It has the run reported, and ends the process.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from toolkit.running import loops_at_work, moves
from toolkit_cli.running.process_exit import leave

GLANCE: Final = 0.25
"""Seconds between two looks at a run, and in which an event loop has to answer."""
AT_ONCE: Final = 0.3
"""Seconds in which the main thread may still end the run itself after the second signal."""
REPORTING: Final = 2.0
"""Seconds that a report may take where nobody reads what is written."""
GRACE: Final = 1.0
"""Seconds that an event loop may stand still after a signal, or after the time of a call."""
STUBBORN: Final = 5.0
"""The same for a loop that cleans up, and for tools that do not stop in a loop that moves."""


class ForcedEnd(NamedTuple):
    """Why a run is made to end: a signal, or the time of a call that cannot be ended.

    Attributes:
        signal: The number of the signal; 0 where the time was over.
        message: What is wrong with the call whose time was over.
    """

    signal: int = 0
    message: str = ""


class Watched(NamedTuple):
    """What a watchdog knows of a run.

    Attributes:
        exit_code: Returns the exit code of a forced end.
        report: Reports what was done before a forced end.
        is_cleaning_up: Returns whether steps are under way that run after a failure.
    """

    exit_code: Callable[[ForcedEnd], int]
    report: Callable[[ForcedEnd], None]
    is_cleaning_up: Callable[[], bool]


class Watchdog:
    """Looks after one run, until all of it is reported."""

    def __init__(self, watched: Watched, numbers: frozenset[int]) -> None:
        """Begin to watch.

        Args:
            watched: The run.
            numbers: The signals that end it.
        """
        self._watched = watched
        self._numbers = numbers
        self._source, self.signals = os.pipe()
        os.set_blocking(self.signals, False)
        self._received: list[int] = []
        self._claim = threading.Lock()
        self._is_claimed = threading.Event()
        self._reporting_since: float | None = None
        self._thread = threading.Thread(target=self._watch, name="toolkit watchdog", daemon=True)
        self._thread.start()

    def claim(self) -> bool:
        """Return whether the caller is the first who wants to report the run, and so the one who may."""
        is_first = self._claim.acquire(blocking=False)
        self._is_claimed.set()
        return is_first

    def stop(self) -> None:
        """Watch no more."""
        os.write(self.signals, b"\0")
        self._thread.join()
        os.close(self.signals)
        os.close(self._source)

    def _watch(self) -> None:
        trouble: _Trouble | None = None
        while self._goes_on():
            if self._is_claimed.is_set():
                self._leave_without_report()
            elif (why := self._why()) is None:
                trouble = None
            else:
                trouble = trouble or _Trouble(self._watched.is_cleaning_up)
                if self._is_told_again() or trouble.is_hopeless():
                    self._end(why)

    def _goes_on(self) -> bool:
        """Wait for a signal, or a moment; return whether the run is still to be watched."""
        news = os.read(self._source, 64) if _is_readable(self._source, GLANCE) else b""
        self._received += [number for number in news if number in self._numbers]
        return 0 not in news

    def _why(self) -> ForcedEnd | None:
        return ForcedEnd(self._received[0]) if self._received else _late_call()

    def _is_told_again(self) -> bool:
        return len(self._received) > 1 and not self._is_claimed.wait(AT_ONCE)

    def _leave_without_report(self) -> None:
        """End the process if the run has ended, but its report has not: nobody reads it."""
        if not self._received:
            return
        self._reporting_since = self._reporting_since or time.monotonic()
        if time.monotonic() - self._reporting_since > REPORTING:
            leave(self._watched.exit_code(ForcedEnd(self._received[0])))

    def _end(self, why: ForcedEnd) -> None:
        if not self.claim():
            return
        reporter = threading.Thread(target=self._watched.report, args=(why,), name="toolkit report", daemon=True)
        reporter.start()
        reporter.join(REPORTING)
        leave(self._watched.exit_code(why))


def _is_readable(source: int, seconds: float) -> bool:
    """Wait for a file for a while, and return whether it can be read."""
    if not hasattr(select, "poll"):
        return bool(select.select([source], [], [], seconds)[0])
    waiting = select.poll()  # unlike `select`, it takes files of any number
    waiting.register(source, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


class _Trouble:
    """A run that should have ended: since when its loops stand still, and since when nothing excuses it."""

    def __init__(self, is_cleaning_up: Callable[[], bool]) -> None:
        self._is_cleaning_up = is_cleaning_up
        self._moved = self._excused = time.monotonic()

    def is_hopeless(self) -> bool:
        """Return whether it has had all the time that it gets."""
        moves_now = all(moves(loop, GLANCE) for loop in loops_at_work())
        cleans_up, now = self._is_cleaning_up(), time.monotonic()
        if moves_now:
            self._moved = now
        if moves_now and cleans_up:
            self._excused = now
        return now - self._moved > (STUBBORN if cleans_up else GRACE) or now - self._excused > STUBBORN


def _late_call() -> ForcedEnd | None:
    """Return how a run ends that has a call whose time is over, if it has one."""
    timing = sys.modules.get("toolkit.wrappers.timing")
    clocks = timing.running_clocks() if timing is not None else ()
    late = max(clocks, key=lambda clock: clock.overdue, default=None)
    if timing is None or late is None or late.overdue <= 0:
        return None
    return ForcedEnd(message=timing.message_of_late_end(late.seconds, blocks=late.is_blocked(GLANCE)))

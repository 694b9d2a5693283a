"""Limit the rate of a server's progress reports: pass on the first ones, then the latest once a second.

A server can send any number of reports, each of which becomes a line on the screen or a stored event.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

_AT_ONCE = 20
_PAUSE = 1.0


class Report(NamedTuple):
    """A progress report of a call."""

    message: str
    done: float
    of: float | None


class ProgressThrottle:
    """Limits the rate of one call's reports, in the event loop of the call."""

    def __init__(self, pass_on: Callable[[Report], None]) -> None:
        """Create the throttle in the event loop of the call.

        Args:
            pass_on: Called with each report that is passed on.
        """
        self._pass_on = pass_on
        self._loop = asyncio.get_running_loop()
        self._sent = 0
        self._newest: Report | None = None
        self._later: asyncio.TimerHandle | None = None

    def take(self, report: Report) -> None:
        """Pass a report on now or later; it replaces one that is still waiting."""
        self._newest = report
        if self._sent < _AT_ONCE:
            self.flush()
        elif self._later is None:
            self._later = self._loop.call_later(_PAUSE, self.flush)

    def flush(self) -> None:
        """Pass on the waiting report, if there is one."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        newest, self._newest = self._newest, None
        if newest is not None:
            self._sent += 1
            self._pass_on(newest)

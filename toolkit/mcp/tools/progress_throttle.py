"""Progress throttle: of a server's reports on a call, the first pass, and then the newest once a second.

A server may send any number of messages; each one becomes a line on a screen, or an event that somebody stores.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

_AT_ONCE = 20
_PAUSE = 1.0


class Report(NamedTuple):
    """The progress of a call, as its server reports it."""

    message: str
    done: float
    of: float | None


class Thinning:
    """Takes the reports of one call, in the loop that it waits in."""

    def __init__(self, tell: Callable[[Report], None]) -> None:
        """Keep the receiver; to be made in the loop of the call."""
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._sent = 0
        self._newest: Report | None = None
        self._later: asyncio.TimerHandle | None = None

    def take(self, report: Report) -> None:
        """Take a report, which replaces one that is not sent yet."""
        self._newest = report
        if self._sent < _AT_ONCE:
            self.flush()
        elif self._later is None:
            self._later = self._loop.call_later(_PAUSE, self.flush)

    def flush(self) -> None:
        """Send the newest report, if it is not sent yet."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        newest, self._newest = self._newest, None
        if newest is not None:
            self._sent += 1
            self._tell(newest)

"""Timing: a limit to how long a call, or several, may take, the waiting for a person not counted."""

import asyncio  # noqa: TID253 - this module is only imported where there is a limit
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from toolkit.durations import spoken
from toolkit.running import loop_is_running, moves
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit.tools.wait_clocks import Waiting

T = TypeVar("T")

GRACE = 1.0
"""Seconds after the end of its time in which a call must end of itself, before its loop counts as stuck."""

STUBBORN = 5.0
"""The same where its loop moves: what is cancelled may clean up, but not ignore it for longer than this."""

_RUNNING: "set[Clock]" = set()


class TimedTool(WrappedTool):
    """A tool whose work is ended when it takes too long."""

    suspends = True  # a clock needs an event loop, whatever the inner tool does

    def __init__(self, inner: Tool, seconds: float) -> None:
        """Keep the limit."""
        super().__init__(inner)
        self._seconds = seconds

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work, or fail with the code `timeout`."""
        try:
            return await within(self._seconds, lambda inner: self.inner.perform(parsed, inner), context)
        except OutOfTime:
            message = f"timed out after {spoken(self._seconds)}"
            if not self.inner.suspends:
                message += "; it is a plain function, still runs in its thread, and may yet take effect"
            return ToolResult.failure(message, "timeout")


class OutOfTime(Exception):  # noqa: N818 - named for what happened
    """The time is over. It distinguishes our own clock from a TimeoutError that a tool raises."""


async def within(seconds: float, work: Callable[[ToolContext], Awaitable[T]], context: ToolContext) -> T:
    """Await work that must not take longer than so many seconds.

    Args:
        seconds: The limit; the clock stands still while a question waits for its answer.
        work: Is given the context to work with, in which questions stop the clock.
        context: The context as it came.

    Raises:
        OutOfTime: If it took longer; what could be stopped was stopped.
    """
    clock = Clock(seconds)
    _RUNNING.add(clock)
    try:
        async with clock.limit:
            return await work(context.replace(waits=StandingClock(clock, context.waits)))
    except TimeoutError as error:
        if clock.limit.expired():
            raise OutOfTime from error
        raise
    finally:
        _RUNNING.discard(clock)


def running_clocks() -> "tuple[Clock, ...]":
    """Return the clocks of all calls that are under way and have a limit of time, in whatever threads."""
    return tuple(_RUNNING)


def message_of_late_end(seconds: float, *, blocks: bool) -> str:
    """Return how a call failed that its clock cannot end: its tool blocks the event loop, or ignores its end."""
    why = "blocks its event loop" if blocks else "does not stop when it is cancelled"
    return f"timed out after {spoken(seconds)}; the tool {why}, and may yet take effect"


class Clock:
    """A limit of time that can be made to stand still, from any thread."""

    def __init__(self, seconds: float) -> None:
        """Start the clock; an event loop must be running."""
        self._loop = asyncio.get_running_loop()
        self.seconds = seconds
        self._waiting = 0
        self._left = seconds
        self.limit = asyncio.timeout(seconds)

    @property
    def overdue(self) -> float:
        """The seconds since its time was over; below 0 where it is not, or where the clock stands still."""
        deadline = self.limit.when()
        return -1.0 if deadline is None else self._loop.time() - deadline

    def is_blocked(self, patience: float) -> bool:
        """Return whether its loop does not answer within so many seconds; not to be asked in that loop."""
        return not moves(self._loop, patience)

    def stop(self) -> None:
        """Let the clock stand still."""
        self._tell(self._stop)

    def go_on(self) -> None:
        """Let the clock continue, once everybody who stopped it has released it."""
        self._tell(self._go_on)

    def _tell(self, change: Callable[[], None]) -> None:
        """Change the clock in its own loop's thread; where the loop is gone, there is nothing left to change."""
        if loop_is_running() and asyncio.get_running_loop() is self._loop:
            change()
            return
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(change)

    def _stop(self) -> None:
        self._waiting += 1
        deadline = self.limit.when()
        if self._waiting == 1 and deadline is not None:
            self._left = deadline - self._loop.time()
            self._reschedule(None)

    def _go_on(self) -> None:
        self._waiting -= 1
        if self._waiting == 0 and self.limit.when() is None:
            self._reschedule(self._loop.time() + self._left)

    def _reschedule(self, deadline: float | None) -> None:
        with suppress(RuntimeError):  # the work has ended in the meantime, or the time was over
            self.limit.reschedule(deadline)


class StandingClock(Waiting):
    """Waiting during which a clock stands still."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock, around: Waiting | None) -> None:
        """Keep the clock, and what this waiting counts for."""
        super().__init__(around)
        self._clock = clock

    def _change(self, by: int, now: float) -> None:
        (self._clock.stop if by > 0 else self._clock.go_on)()
        super()._change(by, now)

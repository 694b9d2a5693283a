"""Limits how long one or several calls take, excluding time spent waiting for a person."""

import asyncio  # noqa: TID253 - this module is imported only where there is a time limit
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, TypeVar

from toolkit.amounts import format_duration
from toolkit.running import Abandoned, Driver, driver_of_thread, loop_is_running, responds
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.metrics import Waiting
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext

T = TypeVar("T")

GRACE = 1.0
"""Seconds that a call has to end after its time limit, before its event loop counts as blocked."""

STUBBORN = 5.0
"""The same in seconds if the event loop is not blocked: a cancelled call may clean up, but must end by then."""

_RUNNING: "set[Clock]" = set()


class TimedTool(WrappedTool):
    """Stops a tool that takes too long."""

    suspends = True  # the timer needs an event loop, even if the inner tool does not

    def __init__(self, inner: Tool, seconds: float) -> None:
        super().__init__(inner)
        self._seconds = seconds

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool; after the time limit, return a failure with the code `timeout`."""
        try:
            return await within(self._seconds, lambda inner: self.inner.perform(parsed, inner), context)
        except OutOfTime:
            message = f"timed out after {format_duration(self._seconds)}"
            if not self.inner.suspends:
                message += "; it is a plain function, is still running in its thread, and may still take effect"
            return ToolResult.failure(message, "timeout")


class OutOfTime(Exception):
    """The time limit was exceeded. Distinguishes our own limit from a `TimeoutError` raised by a tool."""


async def within(seconds: float, work: Callable[[ToolContext], Awaitable[T]], context: ToolContext) -> T:
    """Await work with a time limit.

    Args:
        seconds: The time limit; the clock is paused while a question waits for its answer.
        work: Receives the context to use, in which questions pause the clock.
        context: The context of the caller.

    Raises:
        OutOfTime: If the work took longer; it was cancelled as far as possible.
    """
    if (driver := driver_of_thread()) is not None:
        return await _within_in_thread(seconds, work, context, driver)
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


async def _within_in_thread(
    seconds: float, work: Callable[[ToolContext], Awaitable[T]], context: ToolContext, driver: Driver
) -> T:
    """Do the same in a thread without an event loop, where whoever watches the driver keeps to its time limit."""
    clock = driver.clock = ThreadClock(seconds)
    try:
        return await work(context.replace(waits=StandingClock(clock, context.waits)))
    except Abandoned as error:
        if error.because is clock:
            raise OutOfTime from error
        raise
    finally:
        driver.clock = None


def running_clocks() -> "tuple[Clock, ...]":
    """Return the clocks of all running calls with a time limit, in all threads."""
    return tuple(_RUNNING)


def message_of_late_end(seconds: float, *, blocks: bool) -> str:
    """Return the error for a call that cannot be stopped: it blocks the event loop, or ignores its cancellation."""
    why = "blocks its event loop" if blocks else "does not stop when it is cancelled"
    return f"timed out after {format_duration(seconds)}; the tool {why}, and may still take effect"


class Clock:
    """A time limit that can be paused from any thread."""

    def __init__(self, seconds: float) -> None:
        """Start the clock; an event loop must be running."""
        self._loop = asyncio.get_running_loop()
        self.seconds = seconds
        self._waiting = 0
        self._left = seconds
        self.limit = asyncio.timeout(seconds)

    @property
    def overdue(self) -> float:
        """Seconds since the time limit; negative if it is not reached yet, or if the clock is paused."""
        deadline = self.limit.when()
        return -1.0 if deadline is None else self._loop.time() - deadline

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        deadline = self.limit.when()
        return self._left if deadline is None else deadline - self._loop.time()

    def is_blocked(self, patience: float) -> bool:
        """Return whether the event loop does not respond within `patience` seconds. Call this from another thread."""
        return not responds(self._loop, patience)

    def stop(self) -> None:
        """Pause the clock."""
        self._in_loop(self._stop)

    def go_on(self) -> None:
        """Resume the clock, once `go_on` was called as often as `stop`."""
        self._in_loop(self._go_on)

    def _in_loop(self, change: Callable[[], None]) -> None:
        """Run a change in the thread of the clock's event loop; do nothing if that loop is closed."""
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
        with suppress(RuntimeError):  # the work has ended in the meantime, or has timed out
            self.limit.reschedule(deadline)


class ThreadClock:
    """The same without an event loop: somebody else compares it with the time, and ends the work that is overdue."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self._waiting = 0
        self._left = seconds
        self._deadline: float | None = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        deadline = self._deadline
        return self._left if deadline is None else deadline - monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time limit is reached, which it never is while the clock is paused."""
        deadline = self._deadline
        return deadline is not None and monotonic() >= deadline

    def stop(self) -> None:
        """Pause the clock."""
        self._waiting += 1
        if self._deadline is not None:
            self._left, self._deadline = self._deadline - monotonic(), None

    def go_on(self) -> None:
        """Resume the clock, once `go_on` was called as often as `stop`."""
        self._waiting -= 1
        if self._waiting == 0:
            self._deadline = monotonic() + self._left


class StandingClock(Waiting):
    """Waiting during which a clock is paused."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock | ThreadClock, around: Waiting | None) -> None:
        super().__init__(around)
        self._clock = clock

    @property
    def seconds_left(self) -> float:
        """The time until the nearest time limit, in seconds."""
        return min(self._clock.left, super().seconds_left)

    def _change(self, by: int, now: float) -> None:
        (self._clock.stop if by > 0 else self._clock.go_on)()
        super()._change(by, now)

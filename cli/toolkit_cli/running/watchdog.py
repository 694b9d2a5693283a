"""Interrupts, and threads that stay behind when a command ends."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Final, NamedTuple, NoReturn, Self

from toolkit.running import loops_at_work, responds

_CUT_SHORT = {5, 129, 130, 143}
"""Exit codes after a timeout or a signal, when processes that tools have started may still be running."""


def leave_if_threads_remain(exit_code: int) -> None:
    """Exit immediately if threads are running that Python would wait for."""
    if any(map(_is_waited_for, threading.enumerate())):
        leave(exit_code)


def _is_waited_for(thread: threading.Thread) -> bool:
    """Return whether Python waits for a thread at exit; `concurrent.futures` joins all its threads, even daemons."""
    if thread is threading.main_thread():
        return False
    pools = sys.modules.get("concurrent.futures.thread")
    # A pool lists its threads only once they have started; until then, they are recognized by their target.
    is_pooled = getattr(thread, "_target", None) is getattr(pools, "_worker", thread)
    return not thread.daemon or is_pooled or thread in getattr(pools, "_threads_queues", ())


def leave(exit_code: int) -> NoReturn:
    """End this process and the processes that it has started immediately."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _end_descendants()
    if (observing := sys.modules.get("toolkit_cli.running.sessions")) is not None:
        observing.close_telemetry()
    os._exit(exit_code)


def end_what_was_started(exit_code: object) -> None:
    """After a timeout or a signal, end the processes that tools have started and not waited for."""
    if exit_code in _CUT_SHORT:
        if (
            sessions := sys.modules.get("toolkit.mcp.client.server_sessions")
        ) is not None:  # gives servers time to shut down
            sessions.close_sessions()
        _end_descendants()


def _end_descendants() -> None:
    if os.name == "posix":
        from toolkit.processes.warden import end_descendants  # few runs end like this

        end_descendants()


GLANCE: Final = 0.25
"""How often the run is checked, and how long an event loop may take to respond, in seconds."""
AT_ONCE: Final = 0.3
"""How long the main thread has to end the run itself after a second signal, in seconds."""
REPORTING: Final = 2.0
"""Maximum time for a report whose output is not being read, in seconds."""
GRACE: Final = 1.0
"""How long an event loop may be blocked after a signal or a timeout, in seconds."""
STUBBORN: Final = 5.0
"""The same for a loop with clean-up steps, and for tools that do not stop in a responsive loop."""


class ForcedEnd(NamedTuple):
    """Why a run is forced to end: a signal, or the timeout of a call that does not stop.

    Attributes:
        signal: The number of the signal; 0 for a timeout.
        message: The error message for a timeout.
    """

    signal: int = 0
    message: str = ""


class Watched(NamedTuple):
    """How a watchdog reports a run.

    Attributes:
        exit_code: Returns the exit code for a forced end.
        report: Reports a forced end, and what was done before.
        is_cleaning_up: Returns whether clean-up steps are running after a failure.
    """

    exit_code: Callable[[ForcedEnd], int]
    report: Callable[[ForcedEnd], None]
    is_cleaning_up: Callable[[], bool]


class Watchdog:
    """Watches a run until its report is complete.

    Attributes:
        signals: The file descriptor for `signal.set_wakeup_fd`.
    """

    def __init__(self, watched: Watched, numbers: frozenset[int]) -> None:
        """Start watching.

        Args:
            watched: How to report the run.
            numbers: The signals that end the run.
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
        """Claim the right to report the run; return whether the caller is the first to do so."""
        is_first = self._claim.acquire(blocking=False)
        self._is_claimed.set()
        return is_first

    def stop(self) -> None:
        """Stop watching."""
        os.write(self.signals, b"\0")
        self._thread.join()
        os.close(self.signals)
        os.close(self._source)

    def _watch(self) -> None:
        overdue: _OverdueRun | None = None
        while self._goes_on():
            if self._is_claimed.is_set():
                self._exit_if_report_blocked()
            elif (why := self._why()) is None:
                overdue = None
            else:
                overdue = overdue or _OverdueRun(self._watched.is_cleaning_up)
                if self._has_second_signal() or overdue.is_out_of_time():
                    self._end(why)

    def _goes_on(self) -> bool:
        """Wait briefly for signals; return whether to continue watching."""
        news = os.read(self._source, 64) if _is_readable(self._source, GLANCE) else b""
        self._received += [number for number in news if number in self._numbers]
        return 0 not in news

    def _why(self) -> ForcedEnd | None:
        return ForcedEnd(self._received[0]) if self._received else _late_call()

    def _has_second_signal(self) -> bool:
        return len(self._received) > 1 and not self._is_claimed.wait(AT_ONCE)

    def _exit_if_report_blocked(self) -> None:
        """End the process if the run is over, but its report is blocked since its output is not being read."""
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
    """Wait until a file is readable or the time is over; return whether it is readable."""
    if not hasattr(select, "poll"):
        return bool(select.select([source], [], [], seconds)[0])
    waiting = select.poll()  # unlike `select`, it supports descriptors above 1023
    waiting.register(source, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


class _OverdueRun:
    """A run that should have ended; tracks how long its event loops have been blocked."""

    def __init__(self, is_cleaning_up: Callable[[], bool]) -> None:
        self._is_cleaning_up = is_cleaning_up
        self._moved = self._excused = time.monotonic()

    def is_out_of_time(self) -> bool:
        """Return whether the run has used up its time to end."""
        moves_now = all(responds(loop, GLANCE) for loop in loops_at_work())
        cleans_up, now = self._is_cleaning_up(), time.monotonic()
        if moves_now:
            self._moved = now
        if moves_now and cleans_up:
            self._excused = now
        return now - self._moved > (STUBBORN if cleans_up else GRACE) or now - self._excused > STUBBORN


def _late_call() -> ForcedEnd | None:
    """Return the forced end for a call that is past its timeout, if any."""
    timing = sys.modules.get("toolkit.wrappers.timing")
    clocks = timing.running_clocks() if timing is not None else ()
    late = max(clocks, key=lambda clock: clock.overdue, default=None)
    if timing is None or late is None or late.overdue <= 0:
        return None
    return ForcedEnd(message=timing.message_of_late_end(late.seconds, blocks=late.is_blocked(GLANCE)))


_OFFSET = 128
_OTHERS = ("SIGTERM", "SIGHUP")


def _report_nothing(_: ForcedEnd) -> None:
    """Report nothing, for work without a result."""


class Interrupts:
    """A context in which signals that would end the program end the run."""

    def __init__(self, watched: Watched | None = None) -> None:
        """Create the context.

        Args:
            watched: How to report the run if it is forced to end; `None` reports nothing.
        """
        self.received: int | None = None
        self._watched = watched or Watched(_code_of, _report_nothing, lambda: True)
        self._watchdog: Watchdog | None = None
        self._wakeup = -1
        self._is_over = False
        self._before: dict[int, Any] = {}
        self._terminal: Any = None

    @property
    def exit_code(self) -> int:
        """The exit code after the received signal, such as 130 after Ctrl-C."""
        return _OFFSET + (self.received or signal.SIGINT)

    def __enter__(self) -> Self:
        """Install the signal handlers; signals that the parent process ignores stay ignored."""
        self._terminal = _terminal_settings()
        if threading.current_thread() is threading.main_thread():
            others = [getattr(signal, name) for name in _OTHERS if hasattr(signal, name)]
            for number in others:
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._before[number] = signal.signal(number, self._pass_on)
            self._before.setdefault(signal.SIGINT, signal.getsignal(signal.SIGINT))
            if os.name == "posix":
                self._watchdog = Watchdog(self._watched, frozenset([signal.SIGINT, *others]))
                self._wakeup = signal.set_wakeup_fd(self._watchdog.signals, warn_on_full_buffer=False)
        return self

    def over(self) -> None:
        """Mark the run as over before it is reported, so that signals no longer interrupt the report.

        If the watchdog is reporting the run already, this never returns, since the watchdog ends the process.
        """
        if self._watchdog is None or self._is_over:
            return
        self._is_over = True
        for number in self._before:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _leave_it_to_the_watchdog)
        if not self._watchdog.claim():
            threading.Event().wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the signal handlers and the terminal."""
        self.over()
        if self._watchdog is not None:
            signal.set_wakeup_fd(self._wakeup)
            self._watchdog.stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._terminal is not None:
            _restore_terminal(self._terminal)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        """Act like SIGINT: cancel the task of an event loop, or raise `KeyboardInterrupt`."""
        self.received = self.received or number
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)


def _code_of(end: ForcedEnd) -> int:
    return _OFFSET + end.signal


def _leave_it_to_the_watchdog(number: int, frame: FrameType | None) -> None:
    """Do nothing, since the watchdog receives the signal too."""


def _terminal_settings() -> Any:
    try:
        import termios  # not on every system
    except ImportError:
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def _restore_terminal(settings: Any) -> None:
    import termios  # not on every system

    with suppress(termios.error):
        termios.tcsetattr(0, termios.TCSADRAIN, settings)

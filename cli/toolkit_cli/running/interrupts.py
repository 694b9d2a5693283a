"""Ends a run cleanly on Ctrl-C, SIGTERM or SIGHUP; a second signal ends it immediately.

All three act like SIGINT: in an event loop, they cancel its task; otherwise, they raise `KeyboardInterrupt` in the
running step. A watchdog ends runs that do not end by themselves. The terminal settings are restored at the end.
"""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

from toolkit_cli.running.watchdog import ForcedEnd, Watchdog, Watched

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

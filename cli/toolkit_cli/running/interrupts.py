"""Interrupts: Ctrl-C, SIGTERM and a hang-up end a run once cleanly; a second one leaves at once.

All three arrive as SIGINT does: where an event loop runs, its task is cancelled, else `KeyboardInterrupt` is raised in
the running step. A watchdog ends a run that does not end by itself. The terminal is given back as it was.
"""

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from toolkit_cli.running.watchdog import ForcedEnd, Watchdog, Watched

_OFFSET = 128
_OTHERS = ("SIGTERM", "SIGHUP")


def _report_nothing(_: ForcedEnd) -> None:
    """Report nothing: what has no result has nothing to report."""


class Interrupts:
    """While this is open, the signals that end a program end the run."""

    def __init__(self, watched: Watched | None = None) -> None:
        """Nothing has arrived yet.

        Args:
            watched: How the run is reported when it must be made to end; without it nothing is.
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
        """The exit code of a program that was ended so: 130 after Ctrl-C."""
        return _OFFSET + (self.received or signal.SIGINT)

    def __enter__(self) -> Self:
        """Listen to the signals; one that the parent process ignores stays ignored."""
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
        """Take note that the run is over, before it is reported; from now on no signal disturbs the report.

        Where the watchdog reports the run already, this never returns: the process ends.
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
        """Give the signals and the terminal back."""
        self.over()
        if self._watchdog is not None:
            signal.set_wakeup_fd(self._wakeup)
            self._watchdog.stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._terminal is not None:
            _restore_terminal(self._terminal)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        """Do what SIGINT does at the moment: cancel the task of a loop, or raise `KeyboardInterrupt`."""
        self.received = self.received or number
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)


def _code_of(end: ForcedEnd) -> int:
    return _OFFSET + end.signal


def _leave_it_to_the_watchdog(number: int, frame: FrameType | None) -> None:
    """Do nothing here; the watchdog has received it too."""


def _terminal_settings() -> Any:
    try:
        import termios  # noqa: PLC0415 - not on every system
    except ImportError:
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def _restore_terminal(settings: Any) -> None:
    import termios  # noqa: PLC0415 - there, since there are settings
    from contextlib import suppress  # noqa: PLC0415

    with suppress(termios.error):
        termios.tcsetattr(0, termios.TCSADRAIN, settings)

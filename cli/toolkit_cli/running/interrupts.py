"""Interrupts: Ctrl-C, SIGTERM and a hang-up end a run once cleanly; a second one leaves at once.

All three arrive as SIGINT does: where an event loop runs, its task is cancelled, else `KeyboardInterrupt` is raised in
the running step. The terminal is given back as it was.
"""

import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

_OFFSET = 128
_OTHERS = ("SIGTERM", "SIGHUP")


class Interrupts:
    """While this is open, the signals that end a program end the run."""

    def __init__(self) -> None:
        """Nothing has arrived yet."""
        self.received: int | None = None
        self._before: dict[int, Any] = {}
        self._terminal: Any = None

    @property
    def exit_code(self) -> int:
        """The exit code of a program that was ended so: 130 after Ctrl-C."""
        return _OFFSET + (self.received or signal.SIGINT)

    def __enter__(self) -> Self:
        """Listen to the signals; one that whoever started us ignores stays ignored."""
        self._terminal = _terminal_settings()
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _OTHERS if hasattr(signal, name)):
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._before[number] = signal.signal(number, self._pass_on)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals and the terminal back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._terminal is not None:
            _restore_terminal(self._terminal)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as Python calls it
        self.received = number
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)


def leave_if_threads_remain(exit_code: int) -> None:
    """Leave the process now if a plain function that was given up still runs: Python would wait for it."""
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        _leave(exit_code)


def _leave(exit_code: int) -> NoReturn:
    if (sessions := sys.modules.get("toolkit.mcp.client.sessions")) is not None:  # what was started ends with us
        sessions.close_sessions()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(exit_code)


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

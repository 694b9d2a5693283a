"""The screen: stderr, taken in turns by the lines of a run, a live bar and questions, so that none tears another.

While a question is open, everything else that would be written waits: our own lines, log lines, and what tools print.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Protocol, TextIO

from toolkit_cli import console


class Live(Protocol):
    """A display that repaints itself and can step aside."""

    def start(self) -> None:
        """Draw it, and keep drawing."""

    def stop(self) -> None:
        """Take it away."""

    def print_above(self, line: str) -> None:
        """Write a line without tearing the display."""


class Screen:
    """Writes lines to stderr in turns; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with nothing shown."""
        self._lock = threading.RLock()
        self._waiting: _Kept | None = None
        self._live: Live | None = None

    def say(self, line: str) -> None:
        """Write a line, or keep it until the open question is answered."""
        with self._lock:
            if self._waiting is not None:
                self._waiting.write(f"{line}\n")
            elif self._live is not None:
                self._live.print_above(line)
            else:
                console.say(line)

    def show(self, live: Live | None) -> None:
        """Show this live display and no other; `None` shows none."""
        with self._lock:
            if live is self._live:
                return
            if self._live is not None and self._waiting is None:
                self._live.stop()
            self._live = live
            if live is not None and self._waiting is None:
                live.start()

    @contextmanager
    def hold(self) -> Iterator[TextIO]:
        """Give stderr to a question alone; afterwards everything that had to wait is written."""
        with self._lock:
            if self._live is not None:
                self._live.stop()
            self._waiting = kept = _Kept()
        out, err = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = kept
        try:
            yield err
        finally:
            sys.stdout, sys.stderr = out, err
            self._release(kept.getvalue())

    def _release(self, kept: str) -> None:
        with self._lock:
            self._waiting = None
            if kept:
                console.say(kept.removesuffix("\n"))
            if self._live is not None:
                self._live.start()


class _Kept(StringIO):
    """Keeps what is written meanwhile; a StringIO says that it is no terminal, so nobody draws on it."""

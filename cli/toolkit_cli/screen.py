"""Coordinates what is written to stderr: lines of a run, live displays and questions.

While a question is open, everything else is buffered: our own lines, log messages, and output of tools.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from types import TracebackType
from typing import Protocol, Self, TextIO

from toolkit_cli import console

_AFTER_AN_OPEN_PROMPT = "\x1b[?2004l\n"
"""What a prompt writes when it ends: turn off bracketed paste, and start a new line."""


class Live(Protocol):
    """A display that repaints itself, such as a progress bar."""

    def start(self) -> None:
        """Draw the display, and keep it up to date."""

    def stop(self) -> None:
        """Remove the display."""

    def print_above(self, line: str) -> None:
        """Write a line above the display."""


class Screen:
    """Writes lines, live displays and questions to stderr; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._waiting: _Kept | None = None
        self._begun = ""
        self._live: Live | None = None
        self._streams: tuple[TextIO, TextIO] | None = None

    def add(self, text: str) -> None:
        """Write part of a line immediately, or whole lines above a live display."""
        text = console.safe_message(text, self._talk)
        with self._lock:
            before, newline, rest = (self._begun + text).rpartition("\n")
            self._begun = rest
            if self._waiting is not None:
                self._waiting.write(text)
            elif self._live is None:
                console.add(text)
            elif newline:
                self._live.print_above(before)

    def end_line(self) -> None:
        """End a partly written line, if there is one."""
        with self._lock:
            rest, self._begun = self._begun, ""
            if not rest:
                return
            if self._waiting is not None:
                self._waiting.write("\n")
            elif self._live is not None:
                self._live.print_above(rest)
            else:
                console.say()

    def say(self, line: str) -> None:
        """Write a line, or buffer it until the open question is answered."""
        line = console.safe_message(console.redactor().text(line), self._talk)
        with self._lock:
            self.end_line()
            if self._waiting is not None:
                self._waiting.write(f"{line}\n")
            elif self._live is not None:
                self._live.print_above(line)
            else:
                console.say(line)

    def show(self, live: Live | None) -> None:
        """Show this live display instead of the current one; `None` shows none."""
        with self._lock:
            if live is self._live:
                return
            self.end_line()
            if self._live is not None and self._waiting is None:
                self._live.stop()
            self._live = live
            if live is not None and self._waiting is None:
                live.start()

    @contextmanager
    def hold(self) -> Iterator[TextIO]:
        """Reserve stderr for a question; write everything that was buffered afterwards."""
        with self._lock:
            self.end_line()
            if self._live is not None:
                self._live.stop()
            self._waiting = kept = _Kept()
            self._streams = (sys.stdout, sys.stderr)
            talk = sys.stderr
            sys.stdout = sys.stderr = kept
        try:
            yield talk
        finally:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the live display, and end a question that an abandoned thread still has open."""
        with self._lock:
            if self._waiting is not None:
                self._live = None
                self._release(_AFTER_AN_OPEN_PROMPT)
            self.end_line()
            self.show(None)

    @property
    def _talk(self) -> TextIO | None:
        """The real stderr while a question is open."""
        return self._streams[1] if self._waiting is not None and self._streams is not None else None

    def _release(self, first: str = "") -> None:
        with self._lock:
            if self._waiting is None or self._streams is None:
                return
            kept, self._waiting = first + self._waiting.getvalue(), None
            sys.stdout, sys.stderr = self._streams
            if kept:
                console.pass_on(kept if kept.endswith("\n") else f"{kept}\n")
            if self._live is not None:
                self._live.start()


class _Kept(StringIO):
    """Buffers output while a question is open; since it is not a terminal, other code draws nothing on it."""

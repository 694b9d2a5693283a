"""The screen: stderr, taken in turns by the lines of a run, a live bar and questions, so that none tears another.

While a question is open, everything else that would be written waits: our own lines, log lines, and what tools print.
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
"""What a prompt would have written at its end: pasting is as usual again, and a new line begins."""


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
        self._begun = ""
        self._live: Live | None = None
        self._streams: tuple[TextIO, TextIO] | None = None

    def add(self, text: str) -> None:
        """Write a piece of text as it comes; where a live display is shown, line by line."""
        text = console.safe_talk(text, self._talk)
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
        """End a line that has begun; what comes next begins a new one."""
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
        """Write a line, or keep it until the open question is answered."""
        line = console.safe_talk(line, self._talk)
        with self._lock:
            self.end_line()
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
            self.end_line()
            if self._live is not None and self._waiting is None:
                self._live.stop()
            self._live = live
            if live is not None and self._waiting is None:
                live.start()

    @contextmanager
    def hold(self) -> Iterator[TextIO]:
        """Give stderr to a question alone; afterwards everything that had to wait is written."""
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
        """Take the live display away, and stderr from a question that a thread which was given up still has open."""
        with self._lock:
            if self._waiting is not None:
                self._live = None
                self._release(_AFTER_AN_OPEN_PROMPT)
            self.end_line()
            self.show(None)

    @property
    def _talk(self) -> TextIO | None:
        """The real stderr, where a question has taken it."""
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
    """Keeps what is written meanwhile; a StringIO is not a terminal, so nobody draws on it."""

"""Decides which keys belong to a line that was typed in answer to a question.

Keys that arrive before the terminal has been quiet for half a second were meant for something else, and are discarded.
So is the rest of a line that started among them, even if it is typed slowly. This module does not access a terminal;
it only processes keys and times.
"""

from dataclasses import dataclass, replace
from typing import Literal

QUIET_SECONDS = 0.5

ENTER = "\r"
ERASE = "\x7f"
CLEAR = "\x15"

Flaw = Literal["begun before", "pasted", "followed"]
"""Why a line is not accepted as an answer: it started too early, was pasted, or was followed by more input."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line that is being typed; each key and each pause returns a new value.

    Attributes:
        since: Time of the last key, or when the question appeared, in seconds.
        text: The text that was typed since the line is open.
        is_open: Whether the terminal was quiet long enough, so that keys count.
        is_ended: Whether Enter was pressed.
        has_discarded: Whether keys were discarded because they arrived too early.
        begun_before: Whether the discarded keys started a line without ending it.
        pasted: Whether part of the text was pasted.
        followed: Whether more input arrived together with Enter, as when several lines are pasted.
    """

    since: float
    text: str = ""
    is_open: bool = False
    is_ended: bool = False
    has_discarded: bool = False
    begun_before: bool = False
    pasted: bool = False
    followed: bool = False

    def seconds_left(self, now: float) -> float:
        """Return how much longer the terminal must be quiet before keys count, in seconds."""
        return max(self.since + QUIET_SECONDS - now, 0.0)

    def after_pause(self, now: float) -> "TypedLine":
        """Return the line at a time when no keys are waiting to be read; it opens only at such a time."""
        return self if self.seconds_left(now) else replace(self, is_open=True)

    def after_key(self, key: str, now: float) -> "TypedLine":
        """Return the line after a key: a character, `ENTER`, `ERASE` or `CLEAR`; other keys are ignored."""
        if self.is_ended:
            return replace(self, followed=True)
        if not self.is_open:
            return self._discarding(now, begins=key != ENTER and (self.begun_before or _is_letter(key)))
        if key == ENTER:
            return replace(self, is_ended=True)
        if key == ERASE:
            return replace(self, text=self.text[:-1])
        if key == CLEAR:
            return replace(self, text="")
        return replace(self, text=self.text + key) if _is_letter(key) else self

    def after_paste(self, text: str, now: float) -> "TypedLine":
        """Return the line after text was pasted."""
        if self.is_ended:
            return replace(self, followed=True)
        if not self.is_open:
            return self._discarding(now, begins=not text.endswith(("\r", "\n")))
        return replace(self, text=self.text + "".join(filter(str.isprintable, text)), pasted=True)

    def _discarding(self, now: float, *, begins: bool) -> "TypedLine":
        return replace(self, since=now, has_discarded=True, begun_before=begins)

    @property
    def flaw(self) -> Flaw | None:
        """Why the line is not accepted, whatever its text; `None` if it is."""
        if self.begun_before:
            return "begun before"
        if self.pasted:
            return "pasted"
        return "followed" if self.followed else None

    def decides_for(self, letter: str) -> bool:
        """Return whether the line is exactly this letter and was typed after the line was open."""
        return self.is_open and self.is_ended and self.flaw is None and self.text == letter


def _is_letter(key: str) -> bool:
    return len(key) == 1 and key.isprintable()

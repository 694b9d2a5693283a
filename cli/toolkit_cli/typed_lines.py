"""Typed lines: which keys make up a line that a person typed after a question had settled.

Keys that arrive before the terminal has been quiet for half a second belong to something else that is being typed, and
are discarded. So is the rest of a line that began among them, however slowly it comes. This module knows no terminal:
it receives keys and times, and returns what they amount to.
"""

from dataclasses import dataclass, replace
from typing import Literal

QUIET_SECONDS = 0.5

ENTER = "\r"
ERASE = "\x7f"
CLEAR = "\x15"

Flaw = Literal["begun before", "pasted", "followed"]
"""Why a line decides nothing: it began before the question had settled, was pasted, or had more behind it."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line as it is being typed; each key and each pause makes another one.

    Attributes:
        since: When the last key came, or the question appeared.
        text: What was typed since the question has settled.
        is_open: Whether the question has settled, so that keys count.
        is_ended: Whether Enter was pressed.
        has_discarded: Whether keys came too early.
        begun_before: Whether those that came too early began a line and did not end it.
        pasted: Whether some of the text was pasted.
        followed: Whether more came together with Enter, as when several lines are pasted.
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
        """Return how long the terminal must still be quiet before keys count."""
        return max(self.since + QUIET_SECONDS - now, 0.0)

    def after_pause(self, now: float) -> "TypedLine":
        """Return the line at a moment at which no key is waiting to be read; only such a moment opens it."""
        return self if self.seconds_left(now) else replace(self, is_open=True)

    def after_key(self, key: str, now: float) -> "TypedLine":
        """Return the line after one key: a character, `ENTER`, `ERASE` or `CLEAR`; names of others change nothing."""
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
        """Return the line after something was pasted into it."""
        if self.is_ended:
            return replace(self, followed=True)
        if not self.is_open:
            return self._discarding(now, begins=not text.endswith(("\r", "\n")))
        return replace(self, text=self.text + "".join(filter(str.isprintable, text)), pasted=True)

    def _discarding(self, now: float, *, begins: bool) -> "TypedLine":
        return replace(self, since=now, has_discarded=True, begun_before=begins)

    @property
    def flaw(self) -> Flaw | None:
        """Why the line decides nothing, whatever its text."""
        if self.begun_before:
            return "begun before"
        if self.pasted:
            return "pasted"
        return "followed" if self.followed else None

    def decides_for(self, letter: str) -> bool:
        """Return whether this is a line with exactly this letter, typed after the question had settled."""
        return self.is_open and self.is_ended and self.flaw is None and self.text == letter


def _is_letter(key: str) -> bool:
    return len(key) == 1 and key.isprintable()

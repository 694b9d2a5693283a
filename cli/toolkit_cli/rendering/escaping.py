"""Makes untrusted text safe to show by masking secrets, and escaping control and invisible characters.

Both have to happen before a text is laid out: a table or a frame may split a secret, or an escape.

Arguments, results and error messages come from models, tools and the network. Control characters could repaint a
question, bidirectional ones could reorder it, and invisible ones could hide in it. The escapes are those of Python
strings. A backslash that would look like the start of an escape is doubled, so that different texts never look alike.
"""

import re
import unicodedata

from toolkit.visibility import escape_character, is_visible
from toolkit_cli import console

_MARKS_IN_A_ROW = 3
_NOT_PLAIN = re.compile(r"[^\x20-\x5b\x5d-\x7e]+")
_NOT_PLAIN_LINES = re.compile(r"[^\n\x20-\x5b\x5d-\x7e]+")
_READS_AS_ESCAPE = re.compile(r"[\\nrtxuU]")
_ELLIPSIS = "…"


def one_line(text: str) -> str:
    """Return the text on one line, without secrets, and with everything but visible characters escaped."""
    return _NOT_PLAIN.sub(_escape_run, console.redactor().text(text))


def lines_of(text: str) -> list[str]:
    """Return the lines of the text without secrets, each escaped; lines end at newlines only."""
    return _NOT_PLAIN_LINES.sub(_escape_run, console.redactor().text(text)).split("\n")


def is_plain(text: str) -> bool:
    """Return whether the text needs no escaping and fits on one line."""
    return one_line(text) == text


def _escape_run(found: re.Match[str]) -> str:
    run, following = found.group(), found.string[found.end() : found.end() + 1]
    at_start = found.start() == 0 or found.string[found.start() - 1] == "\n"
    pieces: list[str] = []
    marks = _MARKS_IN_A_ROW if at_start else 0
    for character in run:
        marks = marks + 1 if unicodedata.combining(character) else 0
        pieces.append(
            escape_character(character) if marks > _MARKS_IN_A_ROW or not is_visible(character) else character
        )
    return "".join(_with_backslashes(pieces, following))


def _with_backslashes(pieces: list[str], following: str) -> list[str]:
    """Double each literal backslash that would look like an escape together with the next character."""
    after = following
    shown: list[str] = []
    for piece in reversed(pieces):
        doubled = piece == "\\" and bool(_READS_AS_ESCAPE.match(after))
        shown.append("\\\\" if doubled else piece)
        after = piece
    return shown[::-1]


def width_of(text: str) -> int:
    """Return the width of an escaped text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """Fill an escaped text with spaces up to `width` columns."""
    return text + " " * (width - width_of(text))


def cut(text: str, width: int) -> str:
    """Shorten an escaped text to at most `width` columns, with an ellipsis at the end."""
    if width_of(text) <= width:
        return text
    return _head(text, max(width - 1, 0)) + _ELLIPSIS


def wrap(text: str, width: int) -> list[str]:
    """Split an escaped text into pieces of at most `width` columns, keeping every character."""
    width = max(width, 2)
    if text.isascii():
        return [text[start : start + width] for start in range(0, len(text), width)] or [""]
    pieces: list[str] = []
    start = taken = 0
    for position, character in enumerate(text):
        if taken + _width(character) > width:
            pieces.append(text[start:position])
            start, taken = position, 0
        taken += _width(character)
    return [*pieces, text[start:]]


def _head(text: str, width: int) -> str:
    if text.isascii():
        return text[:width]
    taken = 0
    for position, character in enumerate(text):
        taken += _width(character)
        if taken > width:
            return text[:position]
    return text

"""Styled pieces of text, and their terminal color codes."""

from collections.abc import Sequence
from typing import Literal

from toolkit.visibility import disarm

Style = Literal["plain", "label", "strong", "danger", "good", "bad", "warn", "quiet", "hint", "frame"]
Fragment = tuple[Style, str]
Line = Sequence[Fragment]

_CODES: dict[Style, str] = {
    "label": "2",
    "strong": "1",
    "danger": "1;31",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "quiet": "2",
    "hint": "1;36",
    "frame": "1;34",
}


def paint(line: Line, *, colour: bool) -> str:
    """Return a line for a terminal, with colors if wanted; control codes inside the fragments are escaped."""
    if not colour:
        return disarm("".join(text for _, text in line)).rstrip()
    return "".join(_painted(style, disarm(text)) for style, text in line)


def paint_all(lines: Sequence[Line], *, colour: bool) -> str:
    """Return lines as text, each with a newline."""
    return "".join(f"{paint(line, colour=colour)}\n" for line in lines)


def _painted(style: Style, text: str) -> str:
    code = _CODES.get(style)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text

"""Colour, where it is wanted: a painter puts a style round a text, or does nothing."""

from collections.abc import Callable
from typing import Literal

Style = Literal["bold", "faint", "red", "yellow", "green", "cyan", "blue"]
Painter = Callable[[str, Style], str]
"""Takes a text that is safe to show and a style, and returns what to write."""

_CODES: dict[Style, str] = {
    "bold": "1",
    "faint": "2",
    "red": "1;31",
    "yellow": "1;33",
    "green": "1;32",
    "cyan": "1;36",
    "blue": "1;34",
}


def painter(*, colour: bool) -> Painter:
    """Return what paints, or what leaves every text plain."""
    return _paint if colour else _leave


def _paint(text: str, style: Style) -> str:
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else ""


def _leave(text: str, style: Style) -> str:  # noqa: ARG001 - it stands for `_paint`
    return text

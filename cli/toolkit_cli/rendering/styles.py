"""Styled lines, escaped text and help pages, and how they fit the width of a terminal."""

import re
import unicodedata
from collections.abc import Sequence
from textwrap import wrap as wrap_words
from typing import Literal, NamedTuple

from toolkit.visibility import disarm, escape_character, is_visible
from toolkit_cli import console

UNKNOWN = "(known at runtime)"
"""Stands for the name of a tool that the source does not show."""

_MARKS_IN_A_ROW = 3
_NOT_PLAIN = re.compile(r"[^\x20-\x5b\x5d-\x7e]+")
_NOT_PLAIN_LINES = re.compile(r"[^\n\x20-\x5b\x5d-\x7e]+")
_READS_AS_ESCAPE = r"[\\nrtxuU]"
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
        doubled = piece == "\\" and bool(re.match(_READS_AS_ESCAPE, after))
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


def print_lines(lines: Sequence[Line]) -> None:
    """Write lines to stdout, each with a newline, and with colors if it is a terminal."""
    console.write_data(paint_all(lines, colour=console.data_has_colour()))


_GAP = 2
_NARROWEST_TEXT = 24
_NARROWEST_NAME = 12


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, indent: int = 0, danger: str = ""
) -> list[Line]:
    """Return a table with a header, without columns that are completely empty.

    A name that would leave too little room for the other columns gets a separate line.

    Args:
        header: The titles of the columns; the first column contains names, the last one text that is wrapped.
        rows: The cells of each row, as many as in the header.
        width: The width of the terminal in columns.
        indent: Number of blank columns at the start.
        danger: A word of the second column that is shown as a danger.
    """
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    cells = [[one_line(row[place]) for place in kept] for row in rows]
    titles = [header[place] for place in kept]
    widths = [max(width_of(row[place]) for row in [titles, *cells]) for place in range(len(kept))]
    others = indent + sum(widths[1:-1]) + _GAP * (len(widths) - 1)
    if len(widths) > 1:
        text = min(widths[-1], _NARROWEST_TEXT)
        widths[0] = _widest_name([titles, *cells], max(width - others - text, _NARROWEST_NAME))
    before = others + widths[0] if len(widths) > 1 else indent
    room = max(width - before, _NARROWEST_TEXT)
    lines: list[Line] = [[("quiet", _row(titles, widths, indent))]]
    for row in cells:
        first, *more = wrap_text(row[-1], room)
        lines += _body(row[:-1], first, widths, indent, danger)
        lines += [[("plain", " " * before + other)] for other in more]
    return lines


def _widest_name(rows: Sequence[Sequence[str]], most: int) -> int:
    """Return the width of the first column: that of the widest name that leaves room for the other columns."""
    return max((width_of(row[0]) for row in rows if width_of(row[0]) <= most), default=0)


def wrap_text(text: str, room: int) -> list[str]:
    """Wrap an escaped text at spaces into lines of at most `room` columns."""
    if width_of(text) == len(text):
        return wrap_words(text, room, break_on_hyphens=False) or [""]
    return wrap(text, room)  # text with wide characters rarely has spaces to break lines at


def _body(cells: Sequence[str], text: str, widths: Sequence[int], indent: int, danger: str) -> list[Line]:
    if not cells:
        return [[("strong", " " * indent + text)]]
    rest = _with_danger(_row([*cells[1:], text], widths[1:], _GAP), _GAP + widths[1] if len(cells) > 1 else 0, danger)
    if width_of(cells[0]) > widths[0]:
        return [[("strong", " " * indent + cells[0])], [("plain", " " * (indent + widths[0])), *rest]]
    return [[("strong", " " * indent + padded(cells[0], widths[0])), *rest]]


def _with_danger(text: str, end: int, word: str) -> Line:
    found = re.search(rf"(?<!\S){re.escape(word)}(?=,|\s|$)", text[:end]) if word else None
    if found is None:
        return [("plain", text)]
    return [("plain", text[: found.start()]), ("danger", word), ("plain", text[found.end() :])]


def _row(cells: Sequence[str], widths: Sequence[int], indent: int) -> str:
    filled = (padded(cell, width) for cell, width in zip(cells, widths, strict=True))
    return (" " * indent + (" " * _GAP).join(filled)).rstrip()


class Stem(NamedTuple):
    """The prefixes for the first line of a branch, and for the lines below it."""

    first: str
    below: str


def stem(*, is_last: bool) -> Stem:
    """Return the prefixes of a branch, by whether another one follows."""
    return Stem("└─ ", "   ") if is_last else Stem("├─ ", "│  ")


_HEADING = r"\S.*:"
_TERM = r"(?s)  (\S+(?: \S+)*)(.*)"
_USAGE = "Usage:"


def for_its_reader(page: str) -> str:
    """Return a help page as it is or, for a terminal, in colour."""
    if not console.data_has_colour():
        return page
    is_listing, lines = False, []
    for line in page.split("\n"):
        is_listing = bool(re.fullmatch(_HEADING, line)) or (is_listing and not line[:1].strip())
        lines.append(paint(_styled(line, is_listing=is_listing), colour=True))
    return "\n".join(lines)


def _styled(line: str, *, is_listing: bool) -> Line:
    if line.startswith(_USAGE):
        return [("strong", _USAGE), ("plain", line.removeprefix(_USAGE))]
    if re.fullmatch(_HEADING, line):
        return [("strong", line)]
    if is_listing and (found := re.fullmatch(_TERM, line)):
        return [("plain", "  "), ("hint", found[1]), ("plain", found[2])]
    return [("plain", line)]

"""Shows the source line of a problem with its location underlined, escaped for a terminal.

Secrets are replaced by stars, since excerpts end up in logs that more people can read than the file.
"""

import os
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from toolkit.problems import Location
from toolkit.regular_files import bounded_bytes
from toolkit_cli import console
from toolkit_cli.rendering.styles import Line, Style, one_line, width_of

_LARGEST_FILE = 4_000_000
_TAB = "    "
_ELLIPSIS = "…"
_CONTEXT_BEFORE = 0.4
_REACH = 8


class Excerpt(NamedTuple):
    """A source line, and the numbers of blank and of underlined columns below it."""

    text: str
    before: int
    underlined: int


def excerpt_of(location: Location, width: int) -> Excerpt | None:
    """Return the line at a location in at most `width` columns; `None` if there is no line to show."""
    if location.line is None:
        return None
    lines = _lines_of(location.file)
    if not 0 < location.line <= len(lines):
        return None
    line = console.redactor().stars(_starred(lines[location.line - 1], is_code=location.file.endswith(".py")))
    start, end = _span(location, line)
    past_the_end = 1 if start == len(line) else 0
    low, high = max(0, start - _REACH * width), start + _REACH * width  # only this part of a very long line is rendered
    cells = [_show(character) for character in line[low:high]]
    widths = [width_of(cell) for cell in cells]
    start, end = start - low, min(end, high) - low
    if sum(widths) + past_the_end > width:
        return _window(cells, widths, start, end, width)
    return Excerpt("".join(cells), sum(widths[:start]), _columns(widths[start:end], start, end))


@lru_cache(maxsize=4)
def _starred(line: str, *, is_code: bool) -> str:
    """Replace what looks like a secret by stars; cached, since many problems may be on one very long line."""
    from toolkit.lint.clues.secrets_in_text import starred  # only problems need it

    return starred(line, is_code=is_code)


def _span(location: Location, line: str) -> tuple[int, int]:
    """Return the range of characters to underline, from 0; the whole line without indentation if there is no column."""
    if location.column is None:
        return len(line) - len(line.lstrip()), len(line.rstrip())
    start = min(max(location.column - 1, 0), len(line))
    if location.end_column is None:
        return start, start + 1
    end = location.end_column - 1 if location.end_line in {None, location.line} else len(line.rstrip())
    return start, max(end, start + 1)


def _columns(widths: list[int], start: int, end: int) -> int:
    """Return the number of columns to underline; at least one, even past the end of the line."""
    return max(sum(widths), 1 if end > start else 0)


def _window(cells: list[str], widths: list[int], start: int, end: int, width: int) -> Excerpt:
    """Return the part of a long line around the location."""
    room = width - 2 * len(_ELLIPSIS)
    first, before = start, 0
    while first > 0 and before + widths[first - 1] <= room * _CONTEXT_BEFORE:
        first -= 1
        before += widths[first]
    last, taken = first, 0
    while last < len(cells) and taken + widths[last] <= room:
        taken += widths[last]
        last += 1
    head, tail = _ELLIPSIS if first else "", _ELLIPSIS if last < len(cells) else ""
    underlined = _columns(widths[start : min(end, last)], start, end)
    return Excerpt(head + "".join(cells[first:last]) + tail, before + len(head), underlined)


def shown_source(line: str) -> str:
    """Return a source line with tabs as spaces, and invisible characters escaped."""
    return "".join(map(_show, line))


def _show(character: str) -> str:
    return _TAB if character == "\t" else one_line(character) if not " " <= character <= "~" else character


def stand_in(file: str, text: str) -> None:
    """Use a text instead of the contents of a file from now on, such as an editor's unsaved text."""
    _STAND_INS[Path(file).absolute()] = text.removeprefix("\ufeff").split("\n")


_STAND_INS: dict[Path, list[str]] = {}


def _lines_of(file: str) -> list[str]:
    """Return the lines of a file; empty if it is not a regular file, or too large."""
    path = Path(file)
    if path.absolute() in _STAND_INS:
        return _STAND_INS[path.absolute()]
    try:
        state = path.stat()
        if not S_ISREG(state.st_mode) or state.st_size > _LARGEST_FILE:
            return []
        return _read_lines(path.absolute(), state.st_mtime_ns)
    except (OSError, ValueError):  # unreadable, or an invalid file name
        return []


@lru_cache(maxsize=32)
def _read_lines(path: Path, changed: int) -> list[str]:  # noqa: ARG001 - part of the cache key
    return bounded_bytes(path, most=_LARGEST_FILE).decode("utf-8-sig", "replace").split("\n")


def path_for_people(file: str) -> str:
    """Return a file's path for messages: relative if it is in the same project, such as `../tools.py`."""
    root = _project_of(Path.cwd())
    is_inside = root is not None and Path(file).is_absolute() and Path(file).is_relative_to(root)
    return one_line(os.path.relpath(file)) if is_inside else shown_path(file)


@lru_cache(maxsize=4)
def _project_of(folder: Path) -> Path | None:
    """Return the nearest folder, among this one and its parents, with project settings or a git repository."""
    marks = ("toolkit.toml", "pyproject.toml", ".git")
    return next((place for place in (folder, *folder.parents) if any((place / mark).exists() for mark in marks)), None)


def shown_path(file: str) -> str:
    """Return a file's path relative to the working directory if the file is in it, else unchanged."""
    try:
        return one_line(str(Path(file).relative_to(Path.cwd())))
    except (ValueError, OSError):
        return one_line(file)


def as_lines(difference: str) -> list[Line]:
    """Return the lines of a unified diff, with invisible characters escaped."""
    return [[(style_of(line), shown_source(line))] for line in difference.removesuffix("\n").split("\n")]


def style_of(line: str) -> Style:
    """Return the style for a line of a unified diff."""
    if line.startswith(("---", "+++")):
        return "strong"
    if line.startswith("@@"):
        return "quiet"
    return "good" if line.startswith("+") else "bad" if line.startswith("-") else "plain"

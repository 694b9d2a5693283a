"""Excerpts: the line of a file that a problem is about, with the place underlined, safe to show in a terminal.

Excerpts end in logs that more people read than the file, so that stars stand for the secrets in it.
"""

import os
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from toolkit.problems import Location
from toolkit_cli import console
from toolkit_cli.rendering.escaping import one_line, width_of

_LARGEST_FILE = 4_000_000
_TAB = "    "
_ELLIPSIS = "…"
_CONTEXT_BEFORE = 0.4
_REACH = 8


class Excerpt(NamedTuple):
    """One line as it is shown, and the blank columns and the columns of underlining below it."""

    text: str
    before: int
    underlined: int


def excerpt_of(location: Location, width: int) -> Excerpt | None:
    """Return the line at a location in at most `width` columns, or nothing where there is none to show."""
    if location.line is None:
        return None
    lines = _lines_of(location.file)
    if not 0 < location.line <= len(lines):
        return None
    line = console.redactor().stars(_starred(lines[location.line - 1]))
    start, end = _span(location, line)
    behind_the_end = 1 if start == len(line) else 0
    low, high = max(0, start - _REACH * width), start + _REACH * width  # of a very long line no more is drawn
    cells = [_show(character) for character in line[low:high]]
    widths = [width_of(cell) for cell in cells]
    start, end = start - low, min(end, high) - low
    if sum(widths) + behind_the_end > width:
        return _window(cells, widths, start, end, width)
    return Excerpt("".join(cells), sum(widths[:start]), _columns(widths[start:end], start, end))


@lru_cache(maxsize=4)
def _starred(line: str) -> str:
    """Return a line with stars for what looks like a secret; many problems may be about one very long line."""
    from toolkit.lint.secrets_in_text import starred  # noqa: PLC0415 - only bad news needs it

    return starred(line)


def _span(location: Location, line: str) -> tuple[int, int]:
    """Return which characters are meant, from 0; all that is not blank where no column is known."""
    if location.column is None:
        return len(line) - len(line.lstrip()), len(line.rstrip())
    start = min(max(location.column - 1, 0), len(line))
    if location.end_column is None:
        return start, start + 1
    end = location.end_column - 1 if location.end_line in {None, location.line} else len(line.rstrip())
    return start, max(end, start + 1)


def _columns(widths: list[int], start: int, end: int) -> int:
    """Return how wide the underlining is; a place behind the end of the line still has one column."""
    return max(sum(widths), 1 if end > start else 0)


def _window(cells: list[str], widths: list[int], start: int, end: int, width: int) -> Excerpt:
    """Return the part of a long line that has the place in it."""
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
    """Return a line of source as it is shown: tabs as blanks, and what nobody would see as an escape."""
    return "".join(map(_show, line))


def _show(character: str) -> str:
    return _TAB if character == "\t" else one_line(character) if not " " <= character <= "~" else character


def stand_in(file: str, text: str) -> None:
    """Let a text stand in the place of a file from now on, such as what an editor has not saved."""
    _STAND_INS[Path(file).absolute()] = text.removeprefix("\ufeff").split("\n")


_STAND_INS: dict[Path, list[str]] = {}


def _lines_of(file: str) -> list[str]:
    """Return the lines of a regular file of a sensible size, and none of anything else."""
    path = Path(file)
    if path.absolute() in _STAND_INS:
        return _STAND_INS[path.absolute()]
    try:
        state = path.stat()
        if not S_ISREG(state.st_mode) or state.st_size > _LARGEST_FILE:
            return []
        return _read_lines(path.absolute(), state.st_mtime_ns)
    except (OSError, ValueError):  # unreadable, or no name a file can have
        return []


@lru_cache(maxsize=32)
def _read_lines(path: Path, changed: int) -> list[str]:  # noqa: ARG001 - a file that was changed is read again
    return path.read_text("utf-8-sig", errors="replace").split("\n")


def path_for_people(file: str) -> str:
    """Return a file's path as people want it: relative wherever it is in their project, such as `../tools.py`."""
    root = _project_of(Path.cwd())
    is_inside = root is not None and Path(file).is_absolute() and Path(file).is_relative_to(root)
    return one_line(os.path.relpath(file)) if is_inside else shown_path(file)


@lru_cache(maxsize=4)
def _project_of(folder: Path) -> Path | None:
    """Return the nearest folder around one that has the settings of a project, or its history."""
    marks = ("toolkit.toml", "pyproject.toml", ".git")
    return next((place for place in (folder, *folder.parents) if any((place / mark).exists() for mark in marks)), None)


def shown_path(file: str) -> str:
    """Return a file's path as people and annotations want it: relative if it is below the working directory."""
    try:
        return one_line(str(Path(file).relative_to(Path.cwd())))
    except (ValueError, OSError):
        return one_line(file)

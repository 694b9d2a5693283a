"""Reads findings that another job has written as JSON; the files are untrusted input."""

import json
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from toolkit.codes import DEFINITION_DRIFT
from toolkit.lint.rule import BREAKAGES
from toolkit.regular_files import bounded_bytes
from toolkit_cli.rendering.styles import one_line

MOST_FINDINGS = 5_000
_LARGEST = 8 * 1024 * 1024
_LONGEST_TEXT = 600
_LONGEST_PATH = 300
_LONGEST_EDIT = 4_000
_MOST_EDITS = 20
_LAST_LINE = 10_000_000
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{1,5}")
_SEVERITIES = ("error", "warning", "info")


class BadReport(Exception):
    """A file is not a report of findings; the message says why."""


class Span(NamedTuple):
    """A part of a file; lines and columns start at 1, and the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Edit(NamedTuple):
    """A part of a file, and the text that replaces it."""

    span: Span
    text: str


class Finding(NamedTuple):
    """A finding of lint.

    Attributes:
        code: The code of the rule.
        severity: `error`, `warning` or `info`.
        message: The problem, on one line.
        hint: How to fix it; may be empty.
        path: The file, relative to the root of the repository; empty if the finding is in no file.
        line: The line, starting at 1; `None` if unknown.
        edits: The edits of a safe fix, all in this file.
    """

    code: str
    severity: str
    message: str
    hint: str
    path: str
    line: int | None
    edits: tuple[Edit, ...] = ()

    @property
    def is_breakage(self) -> bool:
        """Whether the finding stops a server or an agent, or breaks callers of the tool."""
        return self.code in BREAKAGES or (self.code == DEFINITION_DRIFT and self.severity == "error")

    @property
    def rank(self) -> tuple[bool, int, str, int, str]:
        """The sort key: breakages first, then by severity."""
        return not self.is_breakage, _SEVERITIES.index(self.severity), self.path, self.line or 0, self.code


def read_reports(files: Iterable[Path]) -> list[Finding]:
    """Return the findings of several reports without duplicates, most severe first.

    Raises:
        BadReport: If a file is missing, too large, or not a list of findings.
    """
    found = dict.fromkeys(finding for file in files for finding in _read(file))
    return sorted(found, key=lambda finding: finding.rank)


def _read(file: Path) -> list[Finding]:
    try:
        data = bounded_bytes(file, most=_LARGEST)
    except OSError as error:
        raise BadReport(f"'{file}' cannot be read: {(error.strerror or str(error)).lower()}") from error
    try:
        records = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadReport(f"'{file}' is not JSON") from error
    if not isinstance(records, list) or len(records) > MOST_FINDINGS:
        raise BadReport(f"'{file}' is not a list of at most {MOST_FINDINGS} findings")
    return [_finding(record, f"finding {number} in '{file}'") for number, record in enumerate(records, 1)]


def _finding(record: Any, what: str) -> Finding:
    if not isinstance(record, dict):
        raise BadReport(f"{what} is not an object")
    code, severity, place = record.get("code"), record.get("severity"), record.get("location")
    if not isinstance(code, str) or not (code == "" or _CODE.fullmatch(code)) or severity not in _SEVERITIES:
        raise BadReport(f"{what} has no valid code and severity")
    path = "" if place is None else _path(place, what)
    line = None if place is None else _number(place.get("line"), what)
    message, hint = (_text(record.get(key), what) for key in ("message", "hint"))
    return Finding(
        code, severity, message=message, hint=hint, path=path, line=line, edits=_edits(record.get("fix"), path, what)
    )


def _text(value: Any, what: str) -> str:
    if value is not None and not isinstance(value, str):
        raise BadReport(f"{what} has a message that is not a string")
    shown = one_line((value or "")[:_LONGEST_TEXT])
    return f"{shown}…" if len(value or "") > _LONGEST_TEXT else shown


def _path(place: Any, what: str) -> str:
    path = place.get("file") if isinstance(place, dict) else None
    if not isinstance(path, str) or len(path) > _LONGEST_PATH or one_line(path) != path:
        raise BadReport(f"{what} has no valid file path")
    pure = PurePosixPath(path.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or ":" in path.partition("/")[0]:
        return ""  # outside the repository, such as a tool of a server
    return str(pure)


def _number(value: Any, what: str) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 < value <= _LAST_LINE:
        raise BadReport(f"{what} has a line that is not a number")
    return value


def _edits(fix: Any, path: str, what: str) -> tuple[Edit, ...]:
    """Return the edits of a safe fix, or none if the fix is not safe or changes another file."""
    edits = fix.get("edits") if isinstance(fix, dict) and fix.get("is_safe") is True else None
    if not isinstance(edits, list) or len(edits) > _MOST_EDITS:
        return ()
    found = []
    for edit in edits:
        place, text = (edit.get("location"), edit.get("text")) if isinstance(edit, dict) else (None, None)
        if not isinstance(place, dict) or not isinstance(text, str) or len(text) > _LONGEST_EDIT:
            return ()
        numbers = [_number(place.get(key), what) for key in Span._fields]
        if _path(place, what) != path or not path or None in numbers or not _is_plain(text):
            return ()
        found.append(Edit(Span(*(number or 1 for number in numbers)), text))
    return tuple(found)


def _is_plain(text: str) -> bool:
    return all(one_line(line) == line for line in text.split("\n"))

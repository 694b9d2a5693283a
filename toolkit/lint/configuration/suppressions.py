"""Comments that suppress rules in a line or a whole file of Python or YAML.

def f(x): ...          # toolkit: ignore[TK201, TK3]
# toolkit: ignore-file[TK5]
"""

import io
import os
import re
import tokenize
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.documents.document_reader import read_text
from toolkit.lint.configuration.selection import fits
from toolkit.problems import Location, Problem

_COMMENT = re.compile(r"#\s*toolkit:\s*(ignore(?:-file)?)\b[ \t]*(\[[^\]\r\n]*\]?)?", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z][\w.-]*")
_IN_YAML = re.compile(r"(?:^|(?<=[ \t]))#")


class Suppression(NamedTuple):
    """One code, or one prefix of codes, that a comment suppresses.

    Attributes:
        code: What is suppressed: `TK201`, its name, or the prefix `TK2`; empty if the comment has no code.
        location: The location of the code.
        comment: The location of the whole comment.
        lines: The first and last line that it applies to; None for the whole file.
        removal: What to delete to remove it; None if the rest of the comment needs a manual change.
    """

    code: str
    location: Location
    comment: Location
    lines: tuple[int, int] | None
    removal: Location | None

    def silences(self, problem: Problem) -> bool:
        """Return whether it suppresses a problem."""
        if not self.code or not fits(self.code, problem.code):
            return False
        if self.lines is None:
            return True
        line = problem.location.line if problem.location else None
        return line is not None and self.lines[0] <= line <= self.lines[1]


def read_suppression(record: list[Any]) -> Suppression:
    """Return the suppression from its record."""
    code, location, comment, lines, removal = record
    return Suppression(
        code, Location(*location), Location(*comment), lines and (lines[0], lines[1]), removal and Location(*removal)
    )


class Header(NamedTuple):
    """The lines of a function before its body: its first decorator, its name, and the last of its parameters."""

    first: int
    name: int
    last: int


def widened(suppression: Suppression, headers: Iterable[Header]) -> Suppression:
    """Return a suppression at a function's decorator or name with the lines of the whole header."""
    for one in headers:
        if suppression.lines and one.first <= suppression.lines[1] <= one.name:
            return suppression._replace(lines=(one.first, one.last))
    return suppression


def suppressions_in(file: str, text: str) -> list[Suppression]:
    """Return the suppressions in a Python or YAML file, given by its real path; JSON has no comments."""
    if file.endswith(".json") or "toolkit:" not in text.lower():
        return []
    found = _python_comments(text) if file.endswith(".py") else _yaml_comments(text)
    return [one for comment in found for one in _read(file, comment)]


def _read(file: str, written: "_Comment") -> Iterator[Suppression]:
    line = written.line

    def place(start: int, end: int) -> Location:
        return Location(file, line, written.column + start, line, written.column + end)

    for match in _COMMENT.finditer(written.text):
        lines = None if match[1].lower() == "ignore-file" else (written.first, line)
        codes = list(_CODE.finditer(match[2] or ""))
        is_all = match.start() == 0 and not written.text[match.end() :].strip()
        whole = place(match.start(), match.end())
        removal = place(-written.blanks, len(written.text)) if is_all else None
        if removal is not None and removal.column == 1 and written.ends:
            removal = Location(file, line, 1, line + 1, 1)  # remove the whole line
        if not codes or not match[2].endswith("]"):
            yield Suppression("", whole, whole, lines, removal)
            continue
        begin = match.start(2)
        for number, code in enumerate(codes):
            if len(codes) > 1:  # remove the comma, too
                start = codes[number - 1].end() if number else code.start()
                removal = place(begin + start, begin + (code.end() if number else codes[1].start()))
            location = place(begin + code.start(), begin + code.end())
            yield Suppression(code[0], location, whole, lines, removal)


class _Comment(NamedTuple):
    """A comment in a file.

    Attributes:
        line: Its line.
        column: Its column.
        text: Its text.
        blanks: The number of spaces before it.
        first: The first line of a multi-line string that ends in its line; otherwise the same line.
        ends: Whether its line ends with a newline.
    """

    line: int
    column: int
    text: str
    blanks: int
    first: int
    ends: bool


def _python_comments(text: str) -> Iterator[_Comment]:
    begins: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.removeprefix("\ufeff")).readline):
            line = token.start[0]
            if token.type == tokenize.STRING and token.end[0] > line:
                begins[token.end[0]] = begins.get(line, line)
            elif token.type == tokenize.COMMENT and _COMMENT.search(token.string):
                before = token.line[: token.start[1]]
                blanks = len(before) - len(before.rstrip())
                ends = token.line.endswith(("\n", "\r"))
                yield _Comment(
                    line, token.start[1] + 1, text=token.string, blanks=blanks, first=begins.get(line, line), ends=ends
                )
    except (tokenize.TokenError, SyntaxError):
        return  # syntax errors are reported elsewhere


def _yaml_comments(text: str) -> Iterator[_Comment]:
    """Yield the suppression comments of a document, as far as they can be found without parsing: outside of quotes."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        for match in _COMMENT.finditer(line):
            before = line[: match.start()]
            is_comment = _IN_YAML.match(line, match.start()) or not before.strip()
            if is_comment and before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
                blanks = len(before) - len(before.rstrip())
                comment = line[match.start() :].rstrip()
                yield _Comment(
                    number,
                    match.start() + 1,
                    text=comment,
                    blanks=blanks,
                    first=number,
                    ends=line.endswith(("\n", "\r")),
                )


class Silenced(NamedTuple):
    """The remaining problems, and the suppressions that were used."""

    problems: list[Problem]
    used: set[Suppression]


def silence(problems: Iterable[Problem], suppressions: Iterable[Suppression]) -> Silenced:
    """Return the problems that no comment in their files suppresses."""
    by_file: dict[str, list[Suppression]] = {}
    for one in suppressions:
        by_file.setdefault(one.location.file, []).append(one)
    real = cache(os.path.realpath)  # a file may be named in different ways
    left: list[Problem] = []
    used: set[Suppression] = set()
    for problem in problems:
        near = by_file.get(real(problem.location.file), ()) if problem.location else ()
        silencing = [one for one in near if one.silences(problem)]
        used.update(silencing)
        left += [] if silencing else [problem]
    return Silenced(left, used)


def suppressions_elsewhere(problems: Iterable[Problem], known: Container[str]) -> list[Suppression]:
    """Return the suppressions in other files with problems, such as the tools of a pipeline."""
    files = {os.path.realpath(problem.location.file) for problem in problems if problem.location}
    unread = sorted(file for file in files if file not in known and file.endswith((".py", ".yaml", ".yml")))
    if not unread:
        return []

    found: list[Suppression] = []
    for file in unread:
        text = read_text(Path(file), file)
        found += suppressions_in(file, text) if isinstance(text, str) else []
    return found

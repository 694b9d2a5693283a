"""Applies fixes to files. A fix is applied as a whole, and never leaves a file that cannot be parsed.

Edits never overlap: if two fixes change the same text, the second one waits for the next round. A file that could not
be parsed after a fix is not written.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from toolkit.documents import parse_document
from toolkit.documents.json_reading import parse_json
from toolkit.documents.nodes import Source
from toolkit.problems import Edit, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import followed, text_diff, write_file
from toolkit.source_code.newer_syntax import parse_source
from toolkit.sources.modules import source_of

_MOST_ROUNDS = 20
_BOM = "\ufeff"
_PATTERN = re.compile(r"[*?\[]")


class Change(NamedTuple):
    """The change of one file: its text before and after, and the problems that it fixes."""

    file: str
    before: str
    after: str
    solved: tuple[Problem, ...]


class Fixed(NamedTuple):
    """The result of fixing.

    Attributes:
        problems: The remaining problems.
        solved: The problems that were fixed.
        refused: The problems whose fix would have broken a file.
    """

    problems: list[Problem]
    solved: list[Problem]
    refused: list[Problem]


def fix_files(check: Callable[[], list[Problem]], *, unsafe: bool, beneath: Sequence[str] | None = None) -> Fixed:
    """Check, fix and check again, until there is nothing left to fix.

    Args:
        check: Returns the current problems of the files.
        unsafe: Whether to apply fixes that may change the meaning of the code.
        beneath: The real paths of the only files and folders to change; by default, any.
    """
    problems, solved, refused = check(), list[Problem](), list[Problem]()
    for _ in range(_MOST_ROUNDS):
        ours = [problem for problem in problems if beneath is None or is_beneath(problem, beneath)]
        changes, refused = make_changes(ours, unsafe=unsafe)
        if not changes:
            break
        for change in changes:
            write_change(change)
            solved += change.solved
        problems = check()
    return Fixed(problems, solved, refused)


def real_targets(targets: Iterable[str], directory: Path) -> list[str]:
    """Return the real paths of the files and folders that may be changed: the targets, and the project.

    A link that leads out of a project is left out: it may have come with the project.

    Args:
        targets: The paths, patterns and modules to check, as typed.
        directory: The folder of the project's settings.
    """
    found = [os.path.realpath(directory)]
    for target in targets:
        start = _PATTERN.split(target, maxsplit=1)[0] if _PATTERN.search(target) else target
        path = Path(os.path.dirname(start) if start != target else start)  # noqa: PTH120 - of a pattern, it may be empty
        module = None if os.path.lexists(path) else source_of(target.partition(":")[0], Path())
        with suppress(OSError):
            found.append(str(followed(path) if module is None else Path(module).parent))
    return found


def is_beneath(problem: Problem, folders: Sequence[str]) -> bool:
    """Return whether all files of a problem and of its fix are in some folders, or are one of these files."""
    edits = problem.fix.edits if problem.fix else ()
    files = {place.file for place in (problem.location, *(edit.location for edit in edits)) if place is not None}
    return all(any(Path(os.path.realpath(file)).is_relative_to(folder) for folder in folders) for file in files)


def make_changes(problems: Iterable[Problem], *, unsafe: bool) -> tuple[list[Change], list[Problem]]:
    """Return the changes that would fix the problems, and the problems whose fix would break a file."""
    wanted = [problem for problem in problems if is_fixable(problem, unsafe=unsafe)]
    texts: dict[str, _Text] = {}
    refused: list[Problem] = []
    for problem in sorted(wanted, key=_first_place):
        edits = problem.fix.edits if problem.fix else ()
        for edit in edits:
            texts.setdefault(edit.location.file, _Text(edit.location.file, text_of(edit.location.file)))
        if not all(texts[edit.location.file].takes(edit) for edit in edits):
            continue
        touched = {edit.location.file: texts[edit.location.file] for edit in edits}
        tried = {
            file: text.with_edits([one for one in edits if one.location.file == file]) for file, text in touched.items()
        }
        if all(text.is_sound() for text in tried.values()):
            texts |= {file: text._replace(solved=(*text.solved, problem)) for file, text in tried.items()}
        else:
            refused.append(problem)
    changes = [Change(file, text.before, text.after, text.solved) for file, text in texts.items() if text.edits]
    return changes, refused


def is_fixable(problem: Problem, *, unsafe: bool) -> bool:
    """Return whether a problem has a fix that may be applied."""
    return problem.fix is not None and (problem.fix.is_safe or unsafe)


def diff_of(change: Change, name: str) -> str:
    """Return a change as a unified diff; `name` is the file name to show."""
    return text_diff(change.before, change.after, name)


def write_change(change: Change) -> None:
    """Replace the content of a file atomically, and keep its permissions.

    Raises:
        OSError: If the file cannot be written; it is then unchanged.
    """
    path = Path(os.path.realpath(change.file))
    write_file(path, change.after.encode())


def text_of(file: str) -> str:
    """Return the text of a file; empty, so that no edit applies to it, if it cannot be read or is not UTF-8."""
    try:
        return bounded_bytes(file).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _first_place(problem: Problem) -> tuple[str, int, int]:
    place = problem.fix.edits[0].location if problem.fix and problem.fix.edits else None
    return (place.file, place.line or 0, place.column or 0) if place else ("", 0, 0)


class _Text(NamedTuple):
    """A file and the edits to apply, each with the indices of its start and end."""

    file: str
    before: str
    edits: tuple[tuple[int, int, str], ...] = ()
    solved: tuple[Problem, ...] = ()

    def takes(self, edit: Edit) -> bool:
        """Return whether an edit is inside the text, and overlaps no other edit; an identical edit is accepted."""
        span = self._span(edit)
        if span is None:
            return False
        start, end, _ = span
        return all(
            span == other or ((end <= other[0] or other[1] <= start) and (start, end) != other[:2])
            for other in self.edits
        )

    def with_edits(self, edits: Sequence[Edit]) -> "_Text":
        spans = [span for edit in edits if (span := self._span(edit)) is not None]
        return self._replace(edits=tuple(sorted({*self.edits, *spans})))

    @property
    def after(self) -> str:
        """The text with all edits applied."""
        parts, position = [], 0
        for start, end, text in self.edits:
            parts += [self.before[position:start], text]
            position = end
        return "".join([*parts, self.before[position:]])

    def is_sound(self) -> bool:
        """Return whether the edited text has no more syntax errors than before."""
        return _faults(self.file, self.after) <= _faults(self.file, self.before)

    def _span(self, edit: Edit) -> tuple[int, int, str] | None:
        place = edit.location
        if place.line is None or place.column is None or place.end_line is None or place.end_column is None:
            return None
        skipped = len(self.before) - len(self.before.removeprefix(_BOM))
        source = Source(self.before[skipped:], self.file)
        if place.end_line > len(source.line_starts):
            return None
        start, end = source.index(place.line, place.column), source.index(place.end_line, place.end_column)
        return (start + skipped, end + skipped, edit.text) if start <= end <= len(source.text) else None


def _faults(file: str, text: str) -> int:
    """Return the number of errors in parsing a text."""
    if file.endswith(".py"):
        try:
            parse_source(text.removeprefix(_BOM))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 1
        return 0
    if file.endswith(".json"):
        return len(parse_json(text, file)[1])

    return len(parse_document(text, file)[1])

"""The common format of everything that can be wrong with tools, settings and pipelines.

Loading, linting and planning all report problems; one renderer shows them, and exceptions carry them.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Literal, NamedTuple

__all__ = ["Edit", "Fix", "Location", "Problem", "Severity", "errors_among", "in_order"]

Severity = Literal["error", "warning", "info"]
"""How severe a problem is."""


class Location(NamedTuple):
    """A position or a range in a file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        """Return `file:line:column`, without the parts that are unknown."""
        known = [str(part) for part in (self.line, self.column) if part is not None]
        return ":".join([self.file, *known])


class Edit(NamedTuple):
    """A change to a file: `text` replaces the range at `location`, or is inserted if the range is empty."""

    location: Location
    text: str


class Fix(NamedTuple):
    """Edits that fix a problem; either all of them are applied, or none.

    Attributes:
        message: What the fix does, as a command: `Remove the entry`.
        edits: The changes, which do not overlap.
        is_safe: Whether the fix preserves the meaning, so that nobody needs to review it.
    """

    message: str
    edits: tuple[Edit, ...]
    is_safe: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a definition, where it is, and how to fix it.

    Attributes:
        code: The code of the rule, such as `TK604`; empty if the problem does not belong to a rule.
        message: What is wrong, with the name in question in single quotes, and without a full stop.
        location: Where the problem is, if known.
        severity: Only an `error` stops the work.
        hint: How to fix it, such as `did you mean 'summarize'?`.
        related: Other locations, each with a note (`first defined here`).
        fix: A fix that can be applied automatically, if there is one.
        is_minor: Whether only the profile `all` has it, whatever its severity is.
    """

    code: str
    message: str
    location: Location | None = None
    severity: Severity = "error"
    hint: str | None = None
    related: tuple[tuple[Location, str], ...] = ()
    fix: Fix | None = None
    is_minor: bool = False

    def __str__(self) -> str:
        """Return the problem as one line, for logs and exceptions."""
        where = f"{self.location}: " if self.location else ""
        code = f"[{self.code}]" if self.code else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.severity}{code}: {self.message}{advice}"


def problem_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain JSON data in which every key is present."""
    fix = problem.fix
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "location": problem.location and problem.location._asdict(),
        "hint": problem.hint,
        "related": [{"location": place._asdict(), "message": what} for place, what in problem.related],
        "fix": fix
        and {
            "message": fix.message,
            "is_safe": fix.is_safe,
            "edits": [{"location": edit.location._asdict(), "text": edit.text} for edit in fix.edits],
        },
        "is_minor": problem.is_minor,
    }


def read_problem(record: Mapping[str, Any]) -> Problem:
    """Return the problem that `problem_record` wrote."""
    place, fix = record["location"], record["fix"]
    return Problem(
        record["code"],
        record["message"],
        location=place and Location(**place),
        severity=record["severity"],
        hint=record["hint"],
        related=tuple((Location(**one["location"]), one["message"]) for one in record["related"]),
        fix=fix and Fix(fix["message"], tuple(map(_read_edit, fix["edits"])), fix["is_safe"]),
        is_minor=record["is_minor"],
    )


def _read_edit(record: Mapping[str, Any]) -> Edit:
    return Edit(Location(**record["location"]), record["text"])


def errors_among(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with severity `error`."""
    return [problem for problem in problems if problem.severity == "error"]


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems sorted by location, without duplicates."""
    return sorted(dict.fromkeys(problems), key=_rank)


def set_missing_locations(problems: Iterable[Problem], place: Location | None) -> list[Problem]:
    """Return the problems, with `place` as the location of each that has none."""
    return [one if one.location else replace(one, location=place) for one in problems]


def seen_from(directory: "os.PathLike[str]", problem: Problem) -> Problem:
    """Return a problem with files in a folder shown relative to it."""
    related = tuple((place_from(directory, place), what) for place, what in problem.related)
    location = problem.location and place_from(directory, problem.location)
    return replace(problem, location=location, related=related)


def place_from(directory: "os.PathLike[str]", place: Location) -> Location:
    """Return a location with its file relative to a folder, if the file is in it."""
    root = os.path.join(directory, "")  # noqa: PTH118 - with a separator at the end
    if "://" in place.file:  # a tool of a server is not in a file
        return place
    return place._replace(file=os.path.normpath(place.file).removeprefix(root))


def _rank(problem: Problem) -> tuple[str, int, int]:
    place = problem.location
    return ("", 0, 0) if place is None else (place.file, place.line or 0, place.column or 0)


def nearest(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return the known names that are most similar to a mistyped one, the best match first.

    Of equally similar ones, those with the longest same start are first. Very long names are not compared. If there are
    very many known names, only those with the same start are.

    Args:
        name: The mistyped name.
        known: The known names.
        most: How many names to return at most.
        cutoff: How similar a name has to be, from 0 to 1.
    """
    from difflib import SequenceMatcher  # needed only when something is wrong

    if len(name) > _LONGEST_COMPARED:
        return []
    folded = name.casefold()
    by_folded = {candidate.casefold(): candidate for candidate in known if len(candidate) <= _LONGEST_COMPARED}
    if len(by_folded) > _MOST_COMPARED:
        start = folded[:_SAME_START]
        alike = [candidate for candidate in by_folded if candidate.startswith(start)][:_MOST_COMPARED]
        by_folded = {candidate: by_folded[candidate] for candidate in alike}
    matcher = SequenceMatcher(b=folded)
    ranked = []
    for candidate in by_folded:
        matcher.set_seq1(candidate)
        is_close = matcher.real_quick_ratio() >= cutoff and matcher.quick_ratio() >= cutoff
        if is_close and (ratio := matcher.ratio()) >= cutoff:
            ranked.append((-ratio, -_same_start(candidate, folded), candidate))
    return [by_folded[candidate] for *_, candidate in sorted(ranked)[:most]]


def _same_start(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


_LONGEST_COMPARED = 200
_MOST_COMPARED = 200
_MOST_NAMES = 12
_SAME_START = 2


def did_you_mean(
    name: str, known: Iterable[str], *, before: str = "", otherwise: str | None = None, cutoff: float = 0.6
) -> str | None:
    """Return a hint with the most similar known names, each prefixed with `before`; `otherwise` if there are none."""
    matches = nearest(name, known, cutoff=cutoff)
    if not matches:
        return otherwise
    return f"did you mean {' or '.join(repr(before + match) for match in matches)}?"


def first_names(names: Iterable[str]) -> str:
    """Return the names in alphabetical order, or only the first of them if there are many; empty if there are none."""
    known = sorted(names)
    more = len(known) - _MOST_NAMES
    return ", ".join(known[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def how_to_install(*requirements: str) -> str:
    """Return the command that installs packages for this Python interpreter, with uv if it has no pip.

    A bare `pip` might belong to another environment, where the package of the extra is looked up in an index to which
    anybody may have published something with the same name.
    """
    from importlib.util import find_spec
    from shlex import quote

    python = quote(sys.executable or "python")
    installer = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return " ".join([installer, *(f"'{requirement}'" for requirement in requirements)])


def fix_spelling(name: str, known: Iterable[str], location: Location | None) -> Fix | None:
    """Return an unsafe fix that replaces a mistyped name with the most similar known one, if there is one."""
    matches = nearest(name, known, most=1)
    if not matches or location is None or location.end_column is None:
        return None
    return Fix(f"Write {matches[0]!r}", (Edit(location, matches[0]),), is_safe=False)

"""Problems: the one kind of bad news, and the place it is about.

Loading, linting and planning all yield problems; one renderer shows them; exceptions carry them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

__all__ = ["Edit", "Fix", "Location", "Problem", "Severity", "errors_among", "in_order"]

Severity = Literal["error", "warning", "info"]
"""How bad a problem is."""


class Location(NamedTuple):
    """A place in a file: lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        """Return `file:line:column`, as far as they are known."""
        known = [str(part) for part in (self.line, self.column) if part is not None]
        return ":".join([self.file, *known])


class Edit(NamedTuple):
    """A change of a file's text: what stands at a place is replaced; an empty place takes an insertion."""

    location: Location
    text: str


class Fix(NamedTuple):
    """Edits that fix a problem; they are made all together or not at all.

    Attributes:
        message: What they do, as a command: `Remove the entry`.
        edits: The changes, none of which overlaps another.
        is_safe: Whether the meaning stays what it was, so that nobody needs to look.
    """

    message: str
    edits: tuple[Edit, ...]
    is_safe: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a definition, where it is, and the fix.

    Attributes:
        code: The rule it breaks, such as `TK604`; empty where no rule has a number for it.
        message: What is wrong, with the offending name in single quotes, and no full stop.
        location: Where it is, if that is known.
        severity: Only an `error` stops anything.
        hint: What to do about it, such as `did you mean 'summarize'?`.
        related: Other places that belong to it, each with what is there (`first defined here`).
        fix: The edits that a program can make.
    """

    code: str
    message: str
    location: Location | None = None
    severity: Severity = "error"
    hint: str | None = None
    related: tuple[tuple[Location, str], ...] = ()
    fix: Fix | None = None

    def __str__(self) -> str:
        """Return the problem in one line, for logs and for exceptions."""
        where = f"{self.location}: " if self.location else ""
        code = f"[{self.code}]" if self.code else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.severity}{code}: {self.message}{advice}"


def problem_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain JSON; every key is always there."""
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
    )


def _read_edit(record: Mapping[str, Any]) -> Edit:
    return Edit(Location(**record["location"]), record["text"])


def errors_among(problems: Iterable[Problem]) -> list[Problem]:
    """Return those problems that stop the work."""
    return [problem for problem in problems if problem.severity == "error"]


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems without repetitions, in the order of their places."""
    return sorted(dict.fromkeys(problems), key=_rank)


def placed(problems: Iterable[Problem], place: Location | None) -> list[Problem]:
    """Return problems, each that has no place of its own with this one."""
    return [one if one.location else replace(one, location=place) for one in problems]


def _rank(problem: Problem) -> tuple[str, int, int]:
    place = problem.location
    return ("", 0, 0) if place is None else (place.file, place.line or 0, place.column or 0)


def nearest(name: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Return the known names that a mistyped one may have meant, the likeliest first.

    Very long names are not compared; of very many names only those that begin alike are.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only bad news needs it

    if len(name) > _LONGEST_COMPARED:
        return []
    by_folded = {candidate.casefold(): candidate for candidate in known if len(candidate) <= _LONGEST_COMPARED}
    if len(by_folded) > _MOST_COMPARED:
        start = name.casefold()[:_SAME_START]
        alike = [candidate for candidate in by_folded if candidate.startswith(start)][:_MOST_COMPARED]
        by_folded = {candidate: by_folded[candidate] for candidate in alike}
    matches = get_close_matches(name.casefold(), by_folded, n=most, cutoff=0.6)
    return [by_folded[match] for match in matches]


_LONGEST_COMPARED = 200
_MOST_COMPARED = 200
_SAME_START = 2


def did_you_mean(name: str, known: Iterable[str], *, before: str = "", otherwise: str | None = None) -> str | None:
    """Return a hint that names the nearest known names, or `otherwise` where none is near; `before` leads to each."""
    matches = nearest(name, known)
    if not matches:
        return otherwise
    return f"did you mean {' or '.join(repr(before + match) for match in matches)}?"


def how_to_install(requirement: str) -> str:
    """Return the command that installs something for this Python; the `pip` of a shell may serve another one.

    There, an index would be searched for the extra, where anybody may have published something of its name.
    """
    import sys  # noqa: PLC0415 - only bad news needs these
    from shlex import quote  # noqa: PLC0415

    return f"{quote(sys.executable or 'python')} -m pip install '{requirement}'"


def respelled(name: str, known: Iterable[str], location: Location | None) -> Fix | None:
    """Return the fix that writes the nearest known name in the place of a mistyped one, to be looked at by somebody."""
    matches = nearest(name, known, most=1)
    if not matches or location is None or location.end_column is None:
        return None
    return Fix(f"Write {matches[0]!r}", (Edit(location, matches[0]),), is_safe=False)

"""Limits the number of problems of one file, so that even a file with thousands of mistakes gets a short report."""

from collections.abc import Iterable
from typing import Final, Self

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.problems import Location, Problem, errors_among

MAX_PROBLEMS: Final = 100
_MOST_REMARKS: Final = 1_000


class TooManyProblems(Exception):  # noqa: N818 - errors here are named for what happened
    """A file has too many problems; the rest of it is not read."""


class BoundedProblems(list[Problem]):
    """A list of the problems of one file.

    Adding more than `MAX_PROBLEMS` errors, or more than 1,000 problems in total, raises `TooManyProblems`.
    """

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        """Create the list with problems that were found before."""
        super().__init__(problems)
        self._errors = len(errors_among(self))

    def append(self, problem: Problem) -> None:
        """Add one problem."""
        self.extend((problem,))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add several problems."""
        for problem in problems:
            self._errors += problem.severity == "error"
            if self._errors > MAX_PROBLEMS or len(self) >= _MOST_REMARKS:
                raise TooManyProblems
            super().append(problem)

    def __iadd__(self, problems: Iterable[Problem]) -> Self:  # type: ignore[override, misc]  # as in `list`
        """Add several problems."""
        self.extend(problems)
        return self

    def closed(self, file: str) -> list[Problem]:
        """Return the problems, and one more that says that the rest of the file was not read."""
        place = next((one.location for one in reversed(self) if one.location), Location(file))
        return [*self, too_many(place)]


def too_many(place: Location) -> Problem:
    """Return the problem which says that the rest of a document is not read."""
    return Problem(BROKEN_DOCUMENT, f"more than {MAX_PROBLEMS} problems; the rest of the document is not read", place)

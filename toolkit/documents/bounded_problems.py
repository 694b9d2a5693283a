"""Bounded problems: reading a file ends after a hundred errors, so that thousands of mistakes end in a report."""

from collections.abc import Iterable
from typing import Final, Self

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.problems import Location, Problem, errors_among

MAX_PROBLEMS: Final = 100
_MOST_REMARKS: Final = 1_000


class TooManyProblems(Exception):  # noqa: N818 - named for what happened, as errors are here
    """A file has so many problems that the rest of it is not read."""


class BoundedProblems(list[Problem]):
    """A list of the problems of one file.

    Adding the error after the hundredth raises `TooManyProblems`, and so does adding very many problems of any kind.
    """

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        """Begin with what was found before."""
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

    def __iadd__(self, problems: Iterable[Problem]) -> Self:  # type: ignore[override, misc]  # it takes what a list takes
        """Add several problems."""
        self.extend(problems)
        return self

    def closed(self, file: str) -> list[Problem]:
        """Return the problems, and one more with the reason why there are no others."""
        place = next((one.location for one in reversed(self) if one.location), Location(file))
        return [*self, too_many(place)]


def too_many(place: Location) -> Problem:
    """Return the problem that the rest of a document is not read."""
    return Problem(BROKEN_DOCUMENT, f"more than {MAX_PROBLEMS} problems; the rest of the document is not read", place)

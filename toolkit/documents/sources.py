"""The source text of a file, to convert between indexes of characters and lines and columns."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Final, Literal, NamedTuple, Self

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.problems import Location, Problem, errors_among

_ONE = 1  # the length of a line break

Style = Literal["", "'", '"', "|", ">"]


class Source:
    """The text of a file, with the locations of its characters."""

    __slots__ = ("_line_starts", "text")

    def __init__(self, text: str) -> None:
        """Create the source; its lines are found when a location is first needed."""
        self.text = text
        self._line_starts: array[int] | None = None

    @property
    def line_starts(self) -> "array[int]":
        """The index of the first character of every line."""
        if self._line_starts is None:
            lines = self.text.replace("\r\n", " \n").replace("\r", "\n").split("\n")
            starts = accumulate(map(_ONE.__add__, map(len, lines[:-1])), initial=0)
            self._line_starts = array("Q", starts)
        return self._line_starts

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and the column of a character, both counted from 1."""
        line = bisect_right(self.line_starts, index)
        return line, index - self.line_starts[line - 1] + 1

    def index(self, line: int, column: int) -> int:
        """Return the index of the character at a line and a column, both counted from 1."""
        return self.line_starts[line - 1] + column - 1

    def location(self, file: str, start: int, end: int) -> Location:
        """Return the location of the characters from `start` up to `end`."""
        return Location(file, *self.place(start), *self.place(end))


class Written(NamedTuple):
    """The span of a scalar in a source, and the style in which it is written."""

    source: Source
    start: int
    end: int
    style: Style


MAX_PROBLEMS: Final = 100
_MOST_REMARKS: Final = 1_000


class TooManyProblems(Exception):
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

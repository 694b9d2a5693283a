"""The source text of a file, to convert between indexes of characters and lines and columns."""

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import Literal, NamedTuple

from toolkit.problems import Location

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

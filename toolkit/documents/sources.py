"""Sources: the text of a file, where its lines begin, and where in it a scalar was written."""

from bisect import bisect_right
from typing import Literal, NamedTuple

from toolkit.problems import Location

Style = Literal["", "'", '"', "|", ">"]


class Source:
    """The text of a file, with the places of its characters."""

    __slots__ = ("_line_starts", "text")

    def __init__(self, text: str) -> None:
        """Keep the text; its lines are only looked for when a place is asked for."""
        self.text = text
        self._line_starts: list[int] = []

    @property
    def line_starts(self) -> list[int]:
        """The index of the first character of every line."""
        if not self._line_starts:
            position = 0
            for line in self.text.replace("\r\n", " \n").replace("\r", "\n").split("\n"):
                self._line_starts.append(position)
                position += len(line) + 1
        return self._line_starts

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and the column of a character, both counted from 1."""
        line = bisect_right(self.line_starts, index)
        return line, index - self.line_starts[line - 1] + 1

    def index(self, line: int, column: int) -> int:
        """Return the index of the character at a line and a column, both counted from 1."""
        return self.line_starts[line - 1] + column - 1

    def location(self, file: str, start: int, end: int) -> Location:
        """Return the place of the characters from `start` up to `end`."""
        return Location(file, *self.place(start), *self.place(end))


class Written(NamedTuple):
    """Where in a source a scalar stands, and in which style."""

    source: Source
    start: int
    end: int
    style: Style

"""How a scalar was written: from a character of its value back to its place in the file.

Quotes, escapes, folded lines and indentation stand between the two. The value is laid beside its source character by
character; since folding changes white space only, every other character is found exactly.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from toolkit.problems import Location

Style = Literal["", "'", '"', "|", ">"]

LINE_BREAK = re.compile(r"\r\n|\r|\n")
PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
BLOCK_HEADER = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n)?")
INDENTATION = re.compile(r" *")
FIRST_INDENTATION = re.compile(r"^([ ]*)[^ \r\n]", re.MULTILINE)
QUOTED_UNIT = {
    "'": re.compile(r"''|.", re.DOTALL),
    '"': re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.)|.", re.DOTALL),
}
ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
WHITE = " \t\r\n"


class Source:
    """The text of a file, with the places of its characters."""

    def __init__(self, text: str) -> None:
        """Keep the text; its lines are only looked for when a place is asked for."""
        self.text = text

    @cached_property
    def line_starts(self) -> list[int]:
        """The index of the first character of every line."""
        return [0, *(found.end() for found in LINE_BREAK.finditer(self.text))]

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and the column of a character, both counted from 1."""
        line = bisect_right(self.line_starts, index)
        return line, index - self.line_starts[line - 1] + 1

    def location(self, file: str, start: int, end: int) -> Location:
        """Return the place of the characters from `start` up to `end`."""
        return Location(file, *self.place(start), *self.place(end))


class Unit(NamedTuple):
    r"""One character of a value as it was written: `\n` in quotes is one unit of two characters."""

    character: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Written:
    """Where in a source a scalar stands, and in which style."""

    source: Source
    start: int
    end: int
    style: Style

    def locate(self, file: str, value: str, offset: int, length: int) -> Location:
        """Return the place of some characters of the value."""
        offset = max(0, min(offset, len(value)))
        spans = self._spans(value[: offset + max(length, 1)])
        if offset < len(spans):
            return self.source.location(file, spans[offset][0], spans[-1][1])
        end = spans[-1][1] if spans else self._content_start()
        return self.source.location(file, end, end)

    def _spans(self, value: str) -> list[tuple[int, int]]:
        """Return the source span of each character of the value, or of as much of it as is wanted."""
        spans: list[tuple[int, int]] = []
        units = self._units()
        unit = next(units, None)
        end = self._content_start()
        for character in value:
            white = character in WHITE
            while unit and not white and unit.character in WHITE:
                unit = next(units, None)
            if unit and (unit.character == character or (white and unit.character in WHITE)):
                spans.append((unit.start, unit.end))
                end = unit.end
                unit = next(units, None)
            else:
                spans.append((end, end))
        return spans

    def _content_start(self) -> int:
        found = PROPERTIES.match(self.source.text, self.start, self.end)
        start = found.end() if found else self.start
        if self.style in ("|", ">"):
            header = BLOCK_HEADER.match(self.source.text, start, self.end)
            return header.end() if header else start
        return start + len(self.style)

    def _units(self) -> Iterator[Unit]:
        start = self._content_start()
        match self.style:
            case "'" | '"':
                return self._quoted_units(start, self.end - 1)
            case "|" | ">":
                return self._block_units(start)
            case _:
                return self._bare_units(start, self.end)

    def _bare_units(self, start: int, end: int) -> Iterator[Unit]:
        text = self.source.text
        return (Unit(text[index], index, index + 1) for index in range(start, end))

    def _quoted_units(self, start: int, end: int) -> Iterator[Unit]:
        for found in QUOTED_UNIT[self.style].finditer(self.source.text, start, end):
            written = found.group()
            if len(written) == 1:
                yield Unit(written, found.start(), found.end())
            elif written[1] not in "\r\n":  # a backslash at the end of a line stands for nothing
                yield Unit(_unescaped(written), found.start(), found.end())

    def _block_units(self, start: int) -> Iterator[Unit]:
        text = self.source.text
        first = FIRST_INDENTATION.search(text, start, self.end)
        indent = len(first.group(1)) if first else 0
        position = start
        while position < self.end:
            line_break = LINE_BREAK.search(text, position, self.end)
            line_end = line_break.end() if line_break else self.end
            leading = INDENTATION.match(text, position, line_end)
            skipped = min(indent, leading.end() - position) if leading else 0
            yield from self._bare_units(position + skipped, line_end)
            position = line_end


def _unescaped(written: str) -> str:
    """Return the character that `''` or a backslash and what follows it stand for."""
    if written[0] == "'":
        return "'"
    if len(written) > 2:  # noqa: PLR2004 - `\x41` and its longer kin
        return chr(min(int(written.lstrip("\\xuU"), base=16), 0x10FFFF))
    return ESCAPES.get(written[1], written[1])

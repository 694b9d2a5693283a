"""The nodes of a document, each with its location in the source text of a file.

Nodes are compared by identity; to compare their values, use `plain`.
"""

import gc
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, time
from itertools import accumulate
from typing import Any, Final, Literal, NamedTuple, Self

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.problems import Location, Problem, errors_among

_ONE = 1  # the length of a line break

Style = Literal["", "'", '"', "|", ">"]


class Source:
    """The text of a file, with the locations of its characters."""

    __slots__ = ("_line_starts", "file", "text")

    def __init__(self, text: str, file: str) -> None:
        """Create the source; its lines are found when a location is first needed."""
        self.text = text
        self.file = file
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

    def location(self, start: int, end: int) -> Location:
        """Return the location of the characters from `start` up to `end`."""
        return Location(self.file, *self.place(start), *self.place(end))


class Written(NamedTuple):
    """The span of a part of a document in its source and, for a scalar, the style in which it is written."""

    source: Source
    start: int
    end: int
    style: Style = ""

    @property
    def location(self) -> Location:
        """The location, which is found only when it is needed: few parts of a document have problems."""
        return self.source.location(self.start, self.end)


FORMAT_VERSION: Final = 1
"""The version of the format of all documents."""
UNKNOWN_VERSION: Final = f"unknown format version; 'toolkit' must be {FORMAT_VERSION}"
"""The problem of a document with another version."""
MAX_PROBLEMS: Final = 100
_MOST_REMARKS: Final = 1_000


class Bounds(NamedTuple):
    """How large a document can be after expanding aliases.

    Attributes:
        nodes: Maximum number of values.
        characters: Maximum number of characters, which is also the maximum size of the text.
    """

    nodes: int = 100_000
    characters: int = 1024 * 1024


USUAL: Final = Bounds()


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


LINE_BREAK = r"\r\n|\r|\n"
PROPERTIES = r"(?:[&!]\S*\s+)*"
BLOCK_HEADER = r"[|>][^\r\n]*(?:\r\n|\r|\n)?"
FIRST_INDENTATION = r"(?m)^([ ]*)[^ \r\n]"
QUOTED_UNIT = {
    "'": r"(?s)''|.",
    '"': r"(?s)\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.)|.",
}
ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
WHITE = " \t\r\n"


class Unit(NamedTuple):
    r"""One character of a value with its span in the source; `\n` in quotes is one unit of two characters."""

    character: str
    start: int
    end: int


def locate(written: Written, value: str, offset: int, length: int) -> Location:
    """Return the location of some characters of a scalar's value.

    Args:
        written: How the scalar was written.
        value: The scalar's value as text.
        offset: The index of the first character in the value, or its length for the end.
        length: The number of characters.
    """
    offset = max(0, min(offset, len(value)))
    start = _content_start(written)
    if offset < len(value) and written.source.text[start : written.end - len(written.style)] == value:
        first = start + offset  # nothing is escaped or folded
        return written.source.location(first, min(first + max(length, 1), start + len(value)))
    spans = _spans(written, value[: offset + max(length, 1)])
    if offset < len(spans):
        return written.source.location(spans[offset][0], spans[-1][1])
    end = spans[-1][1] if spans else _content_start(written)
    return written.source.location(end, end)


def _spans(written: Written, value: str) -> list[tuple[int, int]]:
    """Return the span in the source of each character of a value, or of its beginning."""
    spans: list[tuple[int, int]] = []
    end = _content_start(written)
    units = _units(written, end)
    unit = next(units, None)
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


def _content_start(written: Written) -> int:
    """Return the start of the text, after anchors, tags, the opening quote or the header of a block."""
    text = written.source.text
    found = re.compile(PROPERTIES).match(text, written.start, written.end)
    start = found.end() if found else written.start
    if written.style in ("|", ">"):
        header = re.compile(BLOCK_HEADER).match(text, start, written.end)
        return header.end() if header else start
    return start + len(written.style)


def _units(written: Written, start: int) -> Iterator[Unit]:
    match written.style:
        case "'" | '"':
            return _quoted_units(written, start)
        case "|" | ">":
            return _block_units(written, start)
        case _:
            return _bare_units(written.source.text, start, written.end)


def _bare_units(text: str, start: int, end: int) -> Iterator[Unit]:
    return (Unit(text[index], index, index + 1) for index in range(start, end))


def _quoted_units(written: Written, start: int) -> Iterator[Unit]:
    for found in re.compile(QUOTED_UNIT[written.style]).finditer(written.source.text, start, written.end - 1):
        one = found.group()
        if len(one) == 1:
            yield Unit(one, found.start(), found.end())
        elif one[1] not in "\r\n":  # a backslash at the end of a line produces no character
            yield Unit(_unescaped(one), found.start(), found.end())


def _block_units(written: Written, start: int) -> Iterator[Unit]:
    """Yield the characters of a block without its indentation."""
    text = written.source.text
    first = re.compile(FIRST_INDENTATION).search(text, start, written.end)
    indent = len(first.group(1)) if first else 0
    while start < written.end:
        line_break = re.compile(LINE_BREAK).search(text, start, written.end)
        line_end = line_break.end() if line_break else written.end
        leading = len(text[start:line_end]) - len(text[start:line_end].lstrip(" "))
        yield from _bare_units(text, start + min(indent, leading), line_end)
        start = line_end


def _unescaped(one: str) -> str:
    """Return the character for `''` or for an escape."""
    if one[0] == "'":
        return "'"
    if one.count("\\u") > 1:  # a surrogate pair, as in JSON
        return one.encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")
    if len(one) > 2:  # noqa: PLR2004 - `\x41` and longer forms
        return chr(min(int(one.lstrip("\\xuU"), base=16), 0x10FFFF))
    return ESCAPES.get(one[1], one[1])


class _Placed:
    """A part of a document that knows where it is."""

    __slots__ = ()
    place: Location | Written

    @property
    def location(self) -> Location:
        """The location of the whole part, with quotes or brackets."""
        place = self.place
        return place if isinstance(place, Location) else place.location


# None of these changes after it is made. They are not frozen, since making a frozen one takes three times as long.


@dataclass(slots=True, eq=False)
class Scalar(_Placed):
    """A single value: a string, a number, true, false or null.

    Attributes:
        value: The parsed value. YAML follows the core schema of version 1.2, in which `on`, `no` and `12:30` are
            strings. TOML also has dates and times.
        text: The value as text, without quotes and escapes; `1.10` keeps its last digit here.
        plain: Whether the value was written without quotes.
        place: How the value was written, or only its location.
    """

    value: str | int | float | bool | date | time | None
    text: str
    plain: bool
    place: Location | Written = field(repr=False)

    @property
    def written(self) -> Written | None:
        """How the value was written, to locate its characters; `None` for a value created in code."""
        return self.place if isinstance(self.place, Written) else None

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the location of some characters of `text`, taking quotes, escapes and folded lines into account.

        Args:
            offset: The index of the first character in `text`, or its length for the end.
            length: The number of characters.

        Returns:
            The location in the file, or the location of the whole value if `written` is `None`.
        """
        place = self.place
        return place if isinstance(place, Location) else locate(place, self.text, offset, length)


class Word(NamedTuple):
    """A name, and where it is."""

    text: str
    place: Location | Written

    @property
    def location(self) -> Location:
        """The location."""
        return self.place if isinstance(self.place, Location) else self.place.location


@dataclass(slots=True, eq=False)
class Sequence(_Placed):
    """A list of nodes."""

    items: "tuple[Node, ...]"
    place: Location | Written


class Entry(NamedTuple):
    """One key of a mapping with its value."""

    key: Scalar
    value: "Node"


@dataclass(slots=True, eq=False)
class Mapping(_Placed):
    """Entries by the text of their keys, in the order of the document."""

    entries: dict[str, Entry]
    place: Location | Written

    def get(self, name: str) -> "Node | None":
        """Return the value of a key, or `None` if there is no such key."""
        entry = self.entries.get(name)
        return None if entry is None else entry.value


Node = Scalar | Sequence | Mapping
"""A part of a document, with its location."""


def is_agent(root: "Node | None") -> bool:
    """Return whether a document describes an agent, by its top-level key `agent`."""
    return isinstance(root, Mapping) and "agent" in root.entries


def place_of(root: "Node | None", path: Iterable[str]) -> Location | None:
    """Return the location at a path of keys and list indexes, or of the last part of the path that exists."""
    node, place = root, None
    for name in path:
        if isinstance(node, Sequence) and name.isdecimal() and int(name) < len(node.items):
            node = node.items[int(name)]
            place = node.location
            continue
        entry = node.entries.get(name) if isinstance(node, Mapping) else None
        if entry is None:
            break
        node, place = entry.value, entry.key.location
    return place


def scalars_in(node: Node) -> Iterator[Scalar]:
    """Yield every value in a node, in the order of the document; a value that aliases repeat occurs repeatedly."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Scalar):
            yield one
        elif isinstance(one, Sequence):
            waiting += reversed(one.items)
        else:
            waiting += [entry.value for entry in reversed(one.entries.values())]


def plain(node: Node) -> Any:
    """Return the plain data of a node, as in JSON (and the dates and times of TOML)."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {name: plain(entry.value) for name, entry in node.entries.items()}


def is_known_version(written: Any) -> bool:
    """Return whether a document's version of the format is the one that we read."""
    return isinstance(written, int | float) and not isinstance(written, bool) and written == FORMAT_VERSION


@contextmanager
def many_nodes() -> Iterator[None]:
    """Disable garbage collection: it would traverse millions of nodes again and again, none of which can be freed."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

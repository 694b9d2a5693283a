"""Finds where parts of a JSON text are, without reading the rest into nodes, which would take long for a large text."""

import re
from collections.abc import Iterable
from json import JSONDecoder

from toolkit.documents.nodes import Source
from toolkit.problems import Location

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()

Span = tuple[int, int]


class JsonPlaces:
    """The locations of the parts of a text that is known to be JSON; the members of a value are found once."""

    def __init__(self, text: str, file: str) -> None:
        """Create it; nothing is searched yet.

        Args:
            text: The JSON text.
            file: The name of the file in locations.
        """
        self._source = Source(text, file)
        self._members: dict[int, dict[str, tuple[Span, int]]] = {}

    def place(self, path: Iterable[str]) -> Location:
        """Return the location of the key at a path of keys and list indexes, or of the last part that exists."""
        span: Span = (0, 0)
        start = self._after_blank(0)
        for name in path:
            found = self._members_at(start).get(name)
            if found is None:
                break
            span, start = found
        return self._source.location(*span)

    def _members_at(self, start: int) -> dict[str, tuple[Span, int]]:
        """Return for each member of a value the span of its key, or of an item itself, and the start of its value."""
        if start not in self._members:
            self._members[start] = self._read_members(start)
        return self._members[start]

    def _read_members(self, start: int) -> dict[str, tuple[Span, int]]:
        text, found = self._source.text, dict[str, tuple[Span, int]]()
        opening = text[start : start + 1]
        if opening not in ("{", "["):
            return found
        position = self._after_blank(start + 1)
        while text[position] not in "}]":
            name, key = str(len(found)), None
            if opening == "{":
                name, end = _DECODER.raw_decode(text, position)
                key, position = (position, end), self._after_blank(self._after_blank(end) + 1)
            end = _DECODER.raw_decode(text, position)[1]
            found.setdefault(name, (key or (position, end), position))
            position = self._after_blank(end)
            if text[position] == ",":
                position = self._after_blank(position + 1)
        return found

    def _after_blank(self, position: int) -> int:
        found = _BLANK.match(self._source.text, position)
        return found.end() if found else position

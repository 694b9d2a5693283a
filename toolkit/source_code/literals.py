"""Maps the characters of a Python string's value to their positions in the source.

These differ because of prefixes, quotes, escapes, line ends and adjacent literals.
"""

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

_BETWEEN = re.compile(r"(?:[ \t\r\n\f]|\\\r?\n|#[^\r\n]*)*")
_OPENING = re.compile(r"([A-Za-z]*)(\"\"\"|'''|\"|')")
_ORDINARY = re.compile(r"[^\\\r\"']+")
_RAW_UNIT = re.compile(r"\r\n|\r|\\?.", re.DOTALL)
_UNIT = re.compile(
    r"\\(?:\r\n|\r|\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}\r\n]*\}|[0-7]{1,3}|.)|\r\n|\r|.", re.DOTALL
)


class Span(NamedTuple):
    """The position of a character in the text of the file: start and end index."""

    start: int
    end: int


class Literal:
    """A string in the source: its value, and the position of each character."""

    def __init__(self, text: str, start: int, end: int) -> None:
        """Read the literal, or adjacent literals, between two indices of a text."""
        self._starts: Sequence[int]
        self._ends: Sequence[int]
        plain = _plain_span(text, start, end)
        if plain is not None:  # each character stands for itself
            self.value = text[plain.start : plain.end]
            self._starts, self._ends = range(*plain), range(plain.start + 1, plain.end + 1)
        else:
            characters, self._starts, self._ends = [], [], []
            for character, span in _units(text, start, end):
                characters.append(character)
                self._starts.append(span.start)
                self._ends.append(span.end)
            self.value = "".join(characters)
        self._end = self._ends[-1] if self._ends else end

    @cached_property
    def _solid(self) -> list[int]:
        """The offsets of the characters that are not whitespace."""
        return [index for index, character in enumerate(self.value) if not character.isspace()]

    def span(self, offset: int, length: int = 1) -> Span:
        """Return the position of some characters; the length of the value as the offset means its end."""
        if offset >= len(self._starts):
            return Span(self._end, self._end)
        last = min(offset + max(length, 1), len(self._ends)) - 1
        return Span(self._starts[offset], self._ends[last])

    def find(self, text: str, after: int = 0) -> "list[int] | None":
        """Return the offset in the value of each character of a text that only differs from it in whitespace.

        Args:
            text: The value, or a part of it, with indentation removed and lines joined.
            after: The offset in the value at which the search begins.

        Returns:
            An offset for each character of the text (for whitespace, that of the next one); None if it was not found.
        """
        wanted = "".join(text.split())
        first = "".join(self.value.split()).find(wanted, bisect_left(self._solid, after))
        if first < 0 or not wanted:
            return None
        solid = iter(self._solid[first : first + len(wanted)])
        offsets, position = [], self._solid[first]
        for character in text:
            position = position + 1 if character.isspace() else next(solid)
            offsets.append(position)
        return offsets


def _plain_span(text: str, start: int, end: int) -> Span | None:
    """Return the position of the content of a single string without escapes, or None."""
    found = _OPENING.match(text, start, end)
    if found is None or not text.endswith(found[2], found.end(), end):
        return None
    inside = text[found.end() : end - len(found[2])]
    is_plain = not found[1] and found[2] not in inside and "\\" not in inside and "\r" not in inside
    return Span(found.end(), end - len(found[2])) if is_plain else None


def _units(text: str, start: int, end: int) -> Iterator[tuple[str, Span]]:
    """Yield every character of the value with its position."""
    position = start
    while (found := _OPENING.match(text, position, end)) is not None:
        prefix, quotes = found[1].lower(), found[2]
        position = found.end()
        unit = _RAW_UNIT if "r" in prefix else _UNIT
        while not text.startswith(quotes, position) and position < end:
            if (ordinary := _ORDINARY.match(text, position, end)) is not None:
                position = ordinary.end()
                yield from ((text[index], Span(index, index + 1)) for index in range(*ordinary.span()))
                continue
            one = unit.match(text, position, end)
            assert one is not None  # there is at least one more character
            yield from _characters(one[0], Span(*one.span()), is_raw="r" in prefix)
            position = one.end()
        between = _BETWEEN.match(text, position + len(quotes), end)
        position = between.end() if between else end


def _characters(written: str, span: Span, *, is_raw: bool) -> Iterator[tuple[str, Span]]:
    if is_raw and len(written) == 2 and written[0] == "\\":  # noqa: PLR2004 - a backslash and a character
        yield "\\", Span(span.start, span.start + 1)
        yield written[1], Span(span.start + 1, span.end)
    elif written in {"\r", "\r\n"}:
        yield "\n", span
    elif written[0] != "\\":
        yield written, span
    elif written[1] not in "\r\n":  # a backslash at the end of a line has no value
        yield from ((character, span) for character in _meaning(written))


def _meaning(escape: str) -> str:
    try:
        value = ast.literal_eval(f'"{escape}"' if escape != '\\"' else "'\"'")
    except (SyntaxError, ValueError):
        return escape
    return value if isinstance(value, str) else escape

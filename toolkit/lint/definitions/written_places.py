"""Locates and replaces texts for models in the files where they are written."""

import ast
import json
from collections.abc import Callable, Sequence
from functools import cached_property

from toolkit.documents.nodes import Scalar
from toolkit.lint.definitions.tool_definitions import Written
from toolkit.problems import Edit, Location
from toolkit.source_code.literals import Literal
from toolkit.source_code.python_sources import PythonSource


class Somewhere:
    """A text of which at most the location of the whole is known."""

    def __init__(self, location: Location | None) -> None:
        self._location = location

    def locate(self, offset: int, length: int = 1) -> Location | None:  # its characters have no locations
        """Return the location of the whole text."""
        return self._location

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return None, since the text cannot be edited."""
        return None


class FoundLater:
    """A text whose position is determined when it is needed, which is rare."""

    def __init__(self, find: Callable[[], Written]) -> None:
        self._find = find

    @cached_property
    def _written(self) -> Written:
        return self._find()

    def locate(self, offset: int, length: int = 1) -> Location | None:
        """Return the location of some characters."""
        return self._written.locate(offset, length)

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit that replaces some characters."""
        return self._written.replaced(offset, length, text)


class WrittenInPython:
    """A text in a string of a Python source; the positions of its characters are determined when needed."""

    def __init__(self, file: PythonSource, node: ast.Constant, text: str, after: int = 0) -> None:
        """Create it from a string in the source.

        Args:
            file: The file.
            node: The string.
            text: The text, which the string's value contains.
            after: The offset in the value from which to search for the text.
        """
        self._file = file
        self._node = node
        self._text = text
        self._after = after

    @cached_property
    def _found(self) -> tuple[Literal, Sequence[int]] | None:
        """The string, and the offset in its value of each character of the text."""
        literal = self._file.literal(self._node)
        offsets = literal.find(self._text, self._after)
        return None if offsets is None else (literal, offsets)

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the location of some characters, or that of the whole string if their own is unknown."""
        span = self._span(offset, length)
        return self._file.location(self._node) if span is None else self._file.between(*span)

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit that replaces some characters; None if the new text would need an escape."""
        span = self._span(offset, length)
        if span is None or length < 1 or any(sign in text for sign in "\\\"'\n\r"):
            return None
        return Edit(self._file.between(*span), text)

    def _span(self, offset: int, length: int) -> tuple[int, int] | None:
        if self._found is None:
            return None
        literal, offsets = self._found
        first = offsets[min(offset, len(offsets) - 1)]
        last = offsets[min(offset + max(length, 1), len(offsets)) - 1]
        return literal.span(first, last - first + 1)


class WrittenInDocument:
    """A text that is a value or a key of a JSON or YAML document."""

    def __init__(self, scalar: Scalar) -> None:
        self._scalar = scalar

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the location of some characters."""
        return self._scalar.locate(offset, length)

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit that replaces some characters; in an unquoted text or a block, they can only be deleted."""
        written = self._scalar.written
        if written is None or length < 1 or (text and written.style != '"'):
            return None
        return Edit(self._scalar.locate(offset, length), json.dumps(text, ensure_ascii=False)[1:-1])

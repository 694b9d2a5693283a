"""Places: where a text that a model is sent was written, and how a part of it is replaced there."""

import json
from collections.abc import Sequence

from toolkit.documents.nodes import Scalar
from toolkit.lint.literals import Literal
from toolkit.lint.python_files import PythonFile
from toolkit.problems import Edit, Location


class Somewhere:
    """A text of which only the place of the whole is known, if that."""

    def __init__(self, location: Location | None) -> None:
        """Keep the place."""
        self._location = location

    def locate(self, offset: int, length: int = 1) -> Location | None:  # noqa: ARG002 - its characters cannot be told apart
        """Return the place of the whole."""
        return self._location

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:  # noqa: ARG002
        """Return nothing: what is not known cannot be edited."""
        return None


class WrittenInPython:
    """A text that stands in a string of a Python source."""

    def __init__(self, file: PythonFile, literal: Literal, offsets: Sequence[int]) -> None:
        """Keep the string, and which character of its value each character of the text is."""
        self._file = file
        self._literal = literal
        self._offsets = offsets

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the place of some characters; that of the end where the text has no more."""
        return self._file.between(*self._span(offset, length))

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit; a text that would need an escape is none."""
        if length < 1 or any(sign in text for sign in "\\\"'\n\r"):
            return None
        return Edit(self.locate(offset, length), text)

    def _span(self, offset: int, length: int) -> tuple[int, int]:
        if not self._offsets:
            return self._literal.span(0, 0)
        first = self._offsets[min(offset, len(self._offsets) - 1)]
        last = self._offsets[min(offset + max(length, 1), len(self._offsets)) - 1]
        return self._literal.span(first, last - first + 1)


class WrittenInDocument:
    """A text that is a value, or a key, of a JSON or YAML document."""

    def __init__(self, scalar: Scalar) -> None:
        """Keep the value."""
        self._scalar = scalar

    def locate(self, offset: int, length: int = 1) -> Location:
        """Return the place of some characters."""
        return self._scalar.locate(offset, length)

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit; what replaces a part of a text without quotes, or of a block, must need none."""
        written = self._scalar.written
        if written is None or length < 1 or (text and written.style != '"'):
            return None
        return Edit(self._scalar.locate(offset, length), json.dumps(text, ensure_ascii=False)[1:-1])

"""Exact numbers: JSON in which a number keeps all the digits that it was written with, there and back."""

import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Self

digits_to_lose = re.compile(r"\.(?:\d*0(?!\d)|\d+[eE]|0000|\d{8}|(?<=\d{8}\.)\d)").search
"""Finds in a JSON text a fraction that a float may write in another way: a zero at its end, an exponent, a tiny number,
or many digits."""
_MARK = os.urandom(16).hex()  # no text of anybody else has it
_MARKED = re.compile(f'"{_MARK}([^"]*)"')


class WrittenNumber(float):
    """A number that also knows how it was written: `str` gives every digit, for a `Decimal` and for text."""

    __slots__ = ("_written",)

    def __new__(cls, written: str) -> Self:
        """Read a number as JSON writes it."""
        number = super().__new__(cls, written)
        number._written = written
        return number

    _written: str

    def __str__(self) -> str:
        """Return the number as it was written."""
        return self._written


def loads(text: str) -> Any:
    """Return JSON text as plain data in which numbers with a fraction are written numbers.

    Raises:
        ValueError: If it is not JSON.
    """
    return json.loads(text, parse_float=WrittenNumber)


def dumps(data: Any, *, default: Callable[[Any], Any] | None = None, sort_keys: bool = False) -> str:
    """Return plain data as JSON text in which written numbers are as they were written.

    Raises:
        TypeError: If something in it cannot be written as JSON.
        ValueError: If it contains itself.
    """
    return _MARKED.sub(r"\1", json.dumps(_marked(data), default=default, sort_keys=sort_keys))


def _marked(data: Any) -> Any:
    match data:
        case WrittenNumber():
            return f"{_MARK}{data}"
        case Mapping():
            return {name: _marked(value) for name, value in data.items()}
        case list() | tuple():
            return [_marked(value) for value in data]
    return data

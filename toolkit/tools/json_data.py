"""Copies untrusted data as JSON data that consists only of Python's own types, within size limits."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from toolkit.tools.foreign_values import is_text, kind_of, plain_text

MAX_DEPTH = 200
MAX_VALUES = 100_000
MAX_CHARACTERS = 16 * 1024 * 1024
MAX_BITS = 13_000
"""Maximum size of an integer: about 3,900 digits, which is below Python's limit for converting to a string."""


class NotJsonError(Exception):
    """A value cannot be represented in JSON; the message says which part of it, and why."""


def plain_json(value: object, name: str) -> Any:
    """Return a deep copy of data, made of Python's own types.

    Args:
        value: Any object.
        name: The name of the data in messages.

    Raises:
        NotJsonError: If the data cannot be represented in JSON, or is larger than any definition needs to be.
    """
    copier = _Copier()
    try:
        return copier.copy(value, (name,))
    except (NotJsonError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise NotJsonError(f"reading {name} raises {kind_of(error)}") from error


class _Copier:
    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def copy(self, value: object, path: tuple[str, ...]) -> Any:
        self._count(path)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str or is_text(value):
            return self._text(value, path)  # type: ignore[arg-type]  # as the line above says
        if issubclass(kind, int):
            return _whole_number(value, path)  # type: ignore[arg-type]
        if issubclass(kind, float):
            return _number(value, path)  # type: ignore[arg-type]
        if issubclass(kind, dict):
            return self._object(dict.items(value), path)  # type: ignore[arg-type]
        if issubclass(kind, list):
            return self._list(list.__iter__(value), path)  # type: ignore[arg-type]
        if issubclass(kind, tuple):
            return self._list(tuple.__iter__(value), path)  # type: ignore[arg-type]
        if issubclass(kind, Mapping):
            return self._object(((key, value[key]) for key in value), path)  # type: ignore[attr-defined, index]
        raise NotJsonError(f"{_write(path)} is an object of type {kind_of(value)!r}")

    def _object(self, entries: Iterable[tuple[object, object]], path: tuple[str, ...]) -> dict[str, Any]:
        copy = {}
        for key, value in entries:
            if type(key) is not str and not is_text(key):
                raise NotJsonError(f"{_write(path)} has a key of type {kind_of(key)!r} instead of text")
            name = self._text(key, path)  # type: ignore[arg-type]
            copy[name] = self.copy(value, (*path, name))
        return copy

    def _list(self, items: Iterable[object], path: tuple[str, ...]) -> list[Any]:
        return [self.copy(item, (*path, str(position))) for position, item in enumerate(items)]

    def _text(self, value: str, path: tuple[str, ...]) -> str:
        text = value if type(value) is str else plain_text(value)
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            raise NotJsonError(f"{path[0]} holds more than {MAX_CHARACTERS:,} characters")
        if not is_encodable(text):
            raise NotJsonError(f"{_write(path)} contains half of a surrogate pair")
        return text

    def _count(self, path: tuple[str, ...]) -> None:
        self._values += 1
        if len(path) > MAX_DEPTH:
            raise NotJsonError(f"{path[0]} is nested deeper than {MAX_DEPTH} levels")
        if self._values > MAX_VALUES:
            raise NotJsonError(f"{path[0]} holds more than {MAX_VALUES:,} values")


def is_encodable(text: str) -> bool:
    """Return whether a string can be encoded, which is impossible with half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole_number(value: int, path: tuple[str, ...]) -> int:
    if int.bit_length(value) > MAX_BITS:
        raise NotJsonError(f"{_write(path)} is a number with too many digits")
    return int.__pos__(value)


def _number(value: float, path: tuple[str, ...]) -> float:
    number = float.__pos__(value)
    if not isfinite(number):
        raise NotJsonError(f"{_write(path)} is {number}, which is not a number in JSON")
    return number


def _write(path: tuple[str, ...]) -> str:
    """Return a path as `parameters.properties.city`; the middle of a long path is omitted."""
    parts = path if len(path) <= _LONGEST_PATH else (*path[:3], "…", *path[-3:])
    return ".".join(parts)


_LONGEST_PATH = 12

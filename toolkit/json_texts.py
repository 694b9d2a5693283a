"""Writes values as JSON that every parser accepts, even with numbers that JSON cannot represent; digests of texts."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Self

_MARK = os.urandom(16).hex()  # random, so that no other text contains it
_MARKED = f'"{_MARK}([^"]*)"'
_DEEPEST = 200
_PLAIN = {str, int, float, bool, type(None)}


class WrittenNumber(float):
    """A float that remembers how it was written: `str` returns every digit, for a `Decimal` or for output."""

    __slots__ = ("_written",)

    def __new__(cls, written: str) -> Self:
        """Parse a number in JSON notation."""
        number = super().__new__(cls, written)
        number._written = written
        return number

    _written: str

    def __str__(self) -> str:
        """Return the number as it was written."""
        return self._written

    def __neg__(self) -> "WrittenNumber":
        """Return the negated number with the same digits."""
        return WrittenNumber(self._written.removeprefix("-") if self._written.startswith("-") else f"-{self._written}")


def json_text(
    value: Any,
    *,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Serialize a value as JSON; NaN and infinity become strings: `"NaN"`, `"Infinity"`, `"-Infinity"`.

    A `WrittenNumber` keeps all its digits.

    Args:
        value: The value. Non-ASCII characters are not escaped.
        indent: The number of spaces per level; without it, everything is on one line.
        separators: The separators between items and after keys.
        sort_keys: Whether to sort the keys of objects.
        default: Returns a serializable replacement for an object that JSON cannot represent.

    Raises:
        TypeError: If a part of the value cannot be serialized.
        ValueError: If the value contains itself.
    """
    encode = _encoder(indent, separators, default, sort_keys=sort_keys).encode
    try:
        return with_digits(encode, value)
    except ValueError as error:
        if "Circular" in str(error):
            raise
        return with_digits(encode, _quote(value))


def text_of(value: Any) -> str:
    """Return a value as text: a string unchanged, anything else as compact JSON."""
    return value if isinstance(value, str) else json_text(value, separators=(",", ":"))


def digest_of(text: str) -> str:
    """Return the hexadecimal SHA-256 of a text, which may contain surrogates."""
    from hashlib import sha256  # it loads OpenSSL, which most programs do not need

    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def as_plain(value: Any) -> Any:
    """Convert an object that JSON cannot represent: a mapping becomes a `dict`, anything else a string."""
    return dict(value) if isinstance(value, Mapping) else str(value)


_SCALARS = frozenset(_PLAIN)
_NAMES = frozenset({str})


def is_plain_json(value: Any) -> bool:
    """Return whether encoding data as JSON and parsing it returns the same data."""
    kind = type(value)
    if kind is dict:
        return _NAMES.issuperset(map(type, value)) and _are_plain(value.values())
    return kind in _SCALARS or (kind is list and _are_plain(value))


def _are_plain(values: Iterable[Any]) -> bool:
    return all(is_plain_json(value) for value in values if type(value) not in _SCALARS)


@lru_cache
def _encoder(
    indent: int | None, separators: tuple[str, str] | None, default: Callable[[Any], Any] | None, *, sort_keys: bool
) -> json.JSONEncoder:
    return json.JSONEncoder(
        ensure_ascii=False,
        allow_nan=False,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
        default=default,
    )


def with_digits(write: Callable[[Any], str], value: Any) -> str:
    """Serialize a value with `write`, a function that returns JSON, and keep all digits of each `WrittenNumber`."""
    return re.sub(_MARKED, r"\1", write(_mark(value))) if _has_written_numbers(value) else write(value)


def _has_written_numbers(value: Any) -> bool:
    """Return whether a value contains a `WrittenNumber`; deeper levels than JSON can be written are not searched."""
    waiting = [*value.values()] if type(value) is dict else [value]
    for _ in range(_DEEPEST):
        kinds = {*map(type, waiting)}
        if WrittenNumber in kinds:
            return True
        if kinds <= _PLAIN:
            return False
        waiting = [inner for one in waiting for inner in _inside(one)]
    return WrittenNumber in map(type, waiting)


def _inside(value: Any) -> Iterable[Any]:
    kind = type(value)
    if kind in _PLAIN:
        return ()
    if kind is dict or isinstance(value, Mapping):
        return value.values()  # type: ignore[no-any-return]
    return value if isinstance(value, list | tuple) else ()


def _mark(data: Any) -> Any:
    match data:
        case WrittenNumber():
            return f"{_MARK}{data}"
        case Mapping():
            return {name: _mark(value) for name, value in data.items()}
        case list() | tuple():
            return [_mark(value) for value in data]
    return data


def _quote(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124 - NaN alone differs
    if isinstance(value, Mapping):
        return {_quote(key): _quote(one) for key, one in value.items()}
    return [_quote(one) for one in value] if isinstance(value, list | tuple) else value

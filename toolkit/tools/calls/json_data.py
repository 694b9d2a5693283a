"""Plain JSON data: copied within limits if it is untrusted, with all digits of numbers, and with bytes as base64."""

import json
import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.json_texts import WrittenNumber, with_digits
from toolkit.tools.calls.foreign_values import is_text, kind_of, plain_text

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
    copier = _Copier(name)
    try:
        return copier.copy(value)
    except (NotJsonError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise NotJsonError(f"reading {name} raises {kind_of(error)}") from error


class _Copier:
    def __init__(self, name: str) -> None:
        self._path = [name]
        """The steps that lead to the value that is being copied."""
        self._values = 0
        self._characters = 0

    def copy(self, value: object) -> Any:
        self._values += 1
        if self._values > MAX_VALUES or len(self._path) > MAX_DEPTH:
            raise self._too_large()
        kind = type(value)
        if kind is str or is_text(value):
            return self._text(value)  # type: ignore[arg-type]  # as the line above says
        if kind is dict or issubclass(kind, dict):
            return self._object(dict.items(value))  # type: ignore[arg-type]
        if value is None or kind is bool:
            return value
        if issubclass(kind, int):
            return _whole_number(value, self._path)  # type: ignore[arg-type]
        if issubclass(kind, float):
            return _number(value, self._path)  # type: ignore[arg-type]
        if issubclass(kind, list):
            return self._list(list.__iter__(value))  # type: ignore[arg-type]
        if issubclass(kind, tuple):
            return self._list(tuple.__iter__(value))  # type: ignore[arg-type]
        if issubclass(kind, Mapping):
            return self._object((key, value[key]) for key in value)  # type: ignore[attr-defined, index]
        raise NotJsonError(f"{_write(self._path)} is an object of type {kind_of(value)!r}")

    def _object(self, entries: Iterable[tuple[object, object]]) -> dict[str, Any]:
        copy, path = {}, self._path
        for key, value in entries:
            if type(key) is not str and not is_text(key):
                raise NotJsonError(f"{_write(path)} has a key of type {kind_of(key)!r} instead of text")
            name = self._text(key)  # type: ignore[arg-type]
            path.append(name)
            copy[name] = self.copy(value)
            path.pop()
        return copy

    def _list(self, items: Iterable[object]) -> list[Any]:
        copy, path = [], self._path
        for position, item in enumerate(items):
            path.append(str(position))
            copy.append(self.copy(item))
            path.pop()
        return copy

    def _too_large(self) -> NotJsonError:
        if len(self._path) > MAX_DEPTH:
            return NotJsonError(f"{self._path[0]} is nested deeper than {MAX_DEPTH} levels")
        return NotJsonError(f"{self._path[0]} holds more than {MAX_VALUES:,} values")

    def _text(self, value: str) -> str:
        text = value if type(value) is str else plain_text(value)
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            raise NotJsonError(f"{self._path[0]} holds more than {MAX_CHARACTERS:,} characters")
        if not (text.isascii() or is_encodable(text)):
            raise NotJsonError(f"{_write(self._path)} contains half of a surrogate pair")
        return text


def is_encodable(text: str) -> bool:
    """Return whether a string can be encoded, which is impossible with half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole_number(value: int, path: Sequence[str]) -> int:
    if int.bit_length(value) > MAX_BITS:
        raise NotJsonError(f"{_write(path)} is a number with too many digits")
    return int.__pos__(value)


def _number(value: float, path: Sequence[str]) -> float:
    number = float.__pos__(value)
    if not isfinite(number):
        raise NotJsonError(f"{_write(path)} is {number}, which is not a number in JSON")
    return number


def _write(path: Sequence[str]) -> str:
    """Return a path as `parameters.properties.city`; the middle of a long path is omitted."""
    parts = path if len(path) <= _LONGEST_PATH else (*path[:3], "…", *path[-3:])
    return ".".join(parts)


_LONGEST_PATH = 12


digits_to_lose = re.compile(r"\.(?:\d*0(?!\d)|\d+[eE]|0000|\d{8}|(?<=\d{8}\.)\d)").search
"""Finds a number in JSON text that a float may write differently: one with a trailing zero, an exponent, leading zeros
or many digits."""


_decode = json.JSONDecoder(parse_float=WrittenNumber).decode
_BOM = "\ufeff"


def loads(text: str) -> Any:
    """Parse JSON text; numbers with a fraction or an exponent become `WrittenNumber`.

    Raises:
        ValueError: If the text is not valid JSON.
    """
    return json.loads(text, parse_float=WrittenNumber) if text.startswith(_BOM) else _decode(text)


def dumps(data: Any, *, default: Callable[[Any], Any] | None = None, sort_keys: bool = False) -> str:
    """Serialize plain data as JSON in which every `WrittenNumber` keeps its digits.

    Raises:
        TypeError: If a part of the data cannot be serialized.
        ValueError: If the data contains itself.
    """
    return with_digits(partial(json.dumps, default=default, sort_keys=sort_keys), data)


def bytes_of(value: Any) -> Any:
    """Decode a base64 string; any other value is returned as it is.

    Raises:
        PydanticCustomError: If the string is not valid base64.
    """
    if not isinstance(value, str):
        return value
    try:
        return a2b_base64(_in_standard_letters("".join(value.split())), strict_mode=True)
    except ValueError:
        from pydantic_core import PydanticCustomError

        kind, message = "base64", "must be bytes in base64"
        raise PydanticCustomError(kind, message) from None


def with_standard_base64(data: Any, as_hexadecimal: Any) -> Any:
    """Convert bytes in serialized data from URL-safe to standard base64.

    The strings that differ between the two serialized forms are bytes.

    Args:
        data: Plain data as serialized by pydantic, with bytes as URL-safe base64.
        as_hexadecimal: The same data with bytes in hexadecimal.
    """
    if isinstance(data, dict):
        others = as_hexadecimal.values()
        pairs = zip(data.items(), others, strict=True)
        return {name: with_standard_base64(value, other) for (name, value), other in pairs}
    if isinstance(data, list):
        return [with_standard_base64(*pair) for pair in zip(data, as_hexadecimal, strict=True)]
    return data if data == as_hexadecimal else _in_standard_letters(data)


_STANDARD = str.maketrans("-_", "+/")


def _in_standard_letters(text: str) -> str:
    text = text.translate(_STANDARD)
    return text + "=" * (-len(text) % 4)


def plain_data(parsed: Any) -> dict[str, Any]:
    """Convert parsed arguments to plain JSON data; objects that JSON cannot represent become the name of their type.

    Values of secret types stay masked.

    Raises:
        ToolArgumentsError: If the arguments are nested too deeply, or contain themselves.
    """
    from pydantic_core import from_json, to_json

    try:
        text = to_json(
            parsed, fallback=lambda value: f"<{type(value).__name__}>", inf_nan_mode="strings", bytes_mode="base64"
        )  # fmt: skip
        data: dict[str, Any] = from_json(text)
    except (ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The arguments cannot be shown: {error}") from error
    return data


def is_type_alone(text: str) -> bool:
    """Return whether a text is a type name that `plain_data` has written for an object without a JSON form."""
    return text.startswith("<") and text.endswith(">") and text[1:-1].isidentifier()


def freeze_as_json(arguments: str | Mapping[str, Any]) -> str:
    """Return arguments as JSON text, so that they can no longer change; the text contains secrets.

    Raises:
        ToolArgumentsError: If the arguments cannot be serialized as JSON.
    """
    if isinstance(arguments, str):
        return arguments
    try:
        return dumps(dict(arguments), default=_as_json)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The arguments cannot be written as JSON: {error}") from error


def _as_json(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    if hasattr(value, "get_secret_value"):
        return value.get_secret_value()
    return dict(value) if isinstance(value, Mapping) else to_jsonable_python(value, bytes_mode="base64")

"""The plain JSON data of expressions: names of its types for messages, limits of its size, and conversion to JSON."""

import re
from collections.abc import Mapping
from json import JSONEncoder
from math import isfinite
from typing import Any

from toolkit.errors import ToolkitError
from toolkit.json_texts import WrittenNumber, with_digits
from toolkit.tools.calls.json_data import digits_to_lose


class ExpressionError(ToolkitError):
    """An expression cannot be parsed, or cannot be evaluated with the current data.

    Attributes:
        message: What is wrong, without a full stop.
        offset: The offset of the faulty part in the parsed string, in characters.
        length: The length of the faulty part, in characters.
        hint: How to fix it, or `None`.
    """

    def __init__(self, message: str, offset: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} ({hint})")
        self.message = message
        self.offset = offset
        self.length = length
        self.hint = hint

    def shifted(self, by: int) -> "ExpressionError":
        """Return the same error for a string in which the expression begins `by` characters later."""
        return ExpressionError(self.message, self.offset + by, self.length, self.hint)


class Unfit(ValueError):
    """A value does not fit an operation."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


MAX_TEXT = 1_000_000
"""Maximum length of a string that an expression creates, in characters."""

MAX_ITEMS = 100_000
"""Maximum number of items in a list or mapping that an expression creates."""

MAX_BITS = 4_096
"""Maximum size of an integer that an expression creates, in bits: 1,233 digits."""

MAX_NESTING = 100
"""Maximum depth of JSON that an expression parses."""

MAX_SIZE = 1_000_000
"""Maximum size of a result and of data that is converted to JSON, as counted by `size_of`."""

CHARACTERS_PER_UNIT = 16

Number = int | float


def kind_of(value: Any) -> str:
    """Return the type of a value in words, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a mapping"
        case _:
            return f"a value of the type '{type(value).__name__}'"


def size_of(value: Any, limit: int = MAX_SIZE) -> int:
    """Return the size of plain data: one for each value in it, and one more for every 16 characters.

    A value that occurs several times is counted each time. The work is bounded by the limit.

    Raises:
        Unfit: If the value is not JSON data, or larger than the limit.
    """
    size = 0
    waiting = [value]
    while waiting:
        one = waiting.pop()
        size += 1
        if isinstance(one, str):
            size += len(one) // CHARACTERS_PER_UNIT
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)
        elif isinstance(one, Mapping):
            size += sum(map(len, map(checked_key, one))) // CHARACTERS_PER_UNIT
            waiting.extend(one.values())
        else:
            _check_leaf(one)
        if size + len(waiting) > limit:
            raise Unfit("the value is too large", hint="use a tool for that much data")
    return size


def _check_leaf(value: Any) -> None:
    if isinstance(value, float):
        checked_number(value)
    elif value is not None and not isinstance(value, int):
        raise Unfit(f"{kind_of(value)} is not JSON data")


def check_length(characters: int) -> None:
    """Raise an error if a string would have too many characters."""
    if characters > MAX_TEXT:
        raise Unfit(f"the text would be longer than {MAX_TEXT:,} characters")


def check_count(items: int) -> None:
    """Raise an error if a list or mapping would have too many items."""
    if items > MAX_ITEMS:
        raise Unfit(f"there would be more than {MAX_ITEMS:,} items")


def checked_number(number: Any) -> Any:
    """Return a number if JSON can represent it and it is not too large."""
    if isinstance(number, complex):
        raise Unfit("the result is not a real number")
    if isinstance(number, float):
        if not isfinite(number):
            raise Unfit("the result is not a finite number")
    elif number.bit_length() > MAX_BITS:
        raise Unfit("the number is too large")
    return number


def checked_key(key: Any) -> str:
    """Return the key of a mapping, which must be a string."""
    if not isinstance(key, str):
        raise Unfit(f"a key must be text, not {kind_of(key)}", hint="str(…) converts it to text")
    return key


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise Unfit(f"{kind_of(value)} is not JSON data")


_COMPACT = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_as_dict)
_SORTED = JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, default=_as_dict)


def json_of(value: Any) -> str:
    """Return plain data as compact JSON in which non-ASCII characters are not escaped.

    Raises:
        Unfit: If the value is not JSON data, or too large.
    """
    return _encode(value, _COMPACT)


def sorted_json_of(value: Any) -> str:
    """Return compact JSON with sorted keys, which does not depend on the order of entries."""
    return _encode(value, _SORTED)


def _encode(value: Any, encoder: JSONEncoder) -> str:
    size_of(value)
    try:
        return with_digits(encoder.encode, value)
    except RecursionError:
        raise Unfit("the data is nested too deeply") from None


def text_of(value: Any) -> str:
    """Return a value as text: a string unchanged, anything else as compact JSON.

    Raises:
        Unfit: If the value is not JSON data, or too large.
    """
    return value if isinstance(value, str) else json_of(value)


_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)\.\d+(?:[eE][+-]?\d+)?")


def written_number(text: str, number: float) -> float:
    """Return a number that keeps the digits of its source text, if a float would lose some of them."""
    return WrittenNumber(text) if _JSON_NUMBER.fullmatch(text) and digits_to_lose(text) else number

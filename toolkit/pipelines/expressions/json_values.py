"""Json values: the plain JSON data that expressions are about, what it is called, and how large it may grow."""

from collections.abc import Mapping
from json import JSONEncoder
from math import isfinite
from typing import Any

from toolkit.json_texts import with_digits
from toolkit.pipelines.expressions.failures import Unfit

MAX_TEXT = 1_000_000
"""Characters in a text that an expression makes."""

MAX_ITEMS = 100_000
"""Items in a list or a mapping that an expression makes."""

MAX_BITS = 4_096
"""Bits of an integer that an expression makes: 1,233 digits."""

MAX_NESTING = 100
"""Levels of lists and mappings in JSON that an expression parses."""

MAX_SIZE = 1_000_000
"""The size of a result and of what becomes JSON, as `size_of` counts."""

CHARACTERS_PER_UNIT = 16

Number = int | float


def kind_of(value: Any) -> str:
    """Return what a value is called in a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a mapping"
        case _:
            return f"a value of the type '{type(value).__name__}'"


def size_of(value: Any, limit: int = MAX_SIZE) -> int:
    """Return how large plain data is: one for each value in it, and one more for every 16 characters.

    A value that stands in several places counts in each. Never takes much more work than the limit allows.

    Raises:
        Unfit: It is not JSON data, or larger than the limit.
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
    """Refuse to make a text of too many characters."""
    if characters > MAX_TEXT:
        raise Unfit(f"the text would be longer than {MAX_TEXT:,} characters")


def check_count(items: int) -> None:
    """Refuse to make a list or a mapping of too many items."""
    if items > MAX_ITEMS:
        raise Unfit(f"there would be more than {MAX_ITEMS:,} items")


def checked_number(number: Any) -> Any:
    """Return a number that an expression made, if it is one that JSON knows and of bounded length."""
    if isinstance(number, complex):
        raise Unfit("the result is not a real number")
    if isinstance(number, float):
        if not isfinite(number):
            raise Unfit("the result is not a finite number")
    elif number.bit_length() > MAX_BITS:
        raise Unfit("the number is too large")
    return number


def checked_key(key: Any) -> str:
    """Return the key of a mapping, which is text."""
    if not isinstance(key, str):
        raise Unfit(f"a key has to be a text, not {kind_of(key)}", hint="str(…) makes a text of it")
    return key


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise Unfit(f"{kind_of(value)} is not JSON data")


_COMPACT = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_as_dict)
_SORTED = JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, default=_as_dict)


def json_of(value: Any) -> str:
    """Return plain data as compact JSON, non-ASCII characters as they are.

    Raises:
        Unfit: It is not JSON data, or too large.
    """
    return _encode(value, _COMPACT)


def sorted_json_of(value: Any) -> str:
    """Return JSON that is the same for all mappings with the same entries, in whatever order."""
    return _encode(value, _SORTED)


def _encode(value: Any, encoder: JSONEncoder) -> str:
    size_of(value)
    try:
        return with_digits(encoder.encode, value)
    except RecursionError:
        raise Unfit("the data is nested too deeply") from None


def text_of(value: Any) -> str:
    """Return what stands in a text for a value: a text as it is, everything else as compact JSON.

    Raises:
        Unfit: It is not JSON data, or too large.
    """
    return value if isinstance(value, str) else json_of(value)

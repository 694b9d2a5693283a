"""Picks one value out of JSON by a path such as `order.items[0].price`, keeping every digit of its numbers.

A path consists of parts separated by dots. A part is a name, a name followed by indexes, or only indexes. An empty part
stands for the value that it is applied to, so `.` picks the whole document.
"""

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, NamedTuple, NoReturn, Self

from toolkit.json_texts import json_text

_PART = re.compile(r"([^\[\]'\"]*)((?:\[[0-9]+\])*)")
_INDEX = re.compile(r"[0-9]+")
_LARGEST_INDEX_DIGITS = 18


class UnreadableError(ValueError):
    """The JSON or the path is malformed, or the document has no value at the path; the message says which."""


class Number(NamedTuple):
    """A number as it is written in the JSON document."""

    written: str

    @property
    def plain(self) -> int | float | str:
        """The number as an `int` or `float`, or as a string if it is too large for these."""
        if self.written.lstrip("-").isdigit():
            return int(self.written) if len(self.written) <= 4_000 else self.written  # noqa: PLR2004 - see `int`
        value = float(self.written)
        return value if isfinite(value) else self.written

    def __str__(self) -> str:
        """Return the number as it is written, or a fraction in Python's notation unless that loses digits."""
        plain = self.plain
        if isinstance(plain, float):
            text = repr(plain)
            return text if _equal(text, self.written) else self.written
        return "0" if self.written == "-0" else self.written


class Picked(NamedTuple):
    """The value at a path, as text and as plain data."""

    text: str
    plain: Any

    @classmethod
    def of(cls, value: Any) -> Self:
        """Return a picked value, whose text is a string as it is, and anything else as JSON."""
        return cls(value if isinstance(value, str) else compact(value), plain(value))


def pick(document: str, path: str) -> Picked:
    """Return the value at a path.

    Raises:
        UnreadableError: If the path or the document is malformed, or the document has no value at the path.
    """
    steps = _steps(path)

    def follow(value: Any) -> Picked:
        for step in steps:
            value = _step(value, step, path)
        return Picked.of(value)

    return pick_by(follow, document)


def pick_by(follow: Callable[[Any], Picked], document: str) -> Picked:
    """Parse a document and return what a function picks out of it.

    Raises:
        UnreadableError: If the document is malformed, or `follow` raises the error.
    """
    if not document:
        raise UnreadableError("JSON content must not be blank")
    try:
        picked = follow(_parse(document))
        picked.text.encode()
    except RecursionError as error:
        raise UnreadableError("Invalid JSON: nested too deeply") from error
    except UnicodeEncodeError as error:
        raise UnreadableError("Invalid JSON: a string contains a lone surrogate") from error
    return picked


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for part in path.split("."):
        match = _PART.fullmatch(part)
        if not match:
            raise UnreadableError(f"Invalid path: '{path}'. The part '{part}' is not of the form name, name[0] or [0]")
        name, indexes = match.groups()
        if name:
            steps.append(name)
        steps.extend(_index(digits) for digits in _INDEX.findall(indexes))
    return steps


def _index(digits: str) -> int:
    if len(digits) > _LARGEST_INDEX_DIGITS:
        raise UnreadableError(f"Invalid path: the index {digits[:_LARGEST_INDEX_DIGITS]}… is too large")
    return int(digits)


def _parse(document: str) -> Any:
    try:
        return json.loads(document, parse_int=Number, parse_float=Number, parse_constant=_refuse)
    except ValueError as error:
        raise UnreadableError(f"Invalid JSON: {error}") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _step(value: Any, step: str | int, path: str) -> Any:
    """Follow one step of a path; lists are compared by exact type since a `Number` is a tuple."""
    if isinstance(step, int):
        if type(value) is not list:
            raise UnreadableError(f"Path not found: '{path}'")
        if step >= len(value):
            raise UnreadableError(
                f"Array index out of bounds: index {step} is out of bounds for array of size {len(value)}"
            )
        return value[step]
    if type(value) is dict and step in value:
        return value[step]
    container = type(value) in {dict, list}
    raise UnreadableError(f"Path not found: '{step if container else path}'")


def compact(value: Any) -> str:
    """Encode a value as compact JSON, with numbers as written, which the standard encoder would round."""
    match value:
        case Number():
            return str(value)
        case dict():
            return "{" + ",".join(f"{compact(key)}:{compact(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ",".join(map(compact, value)) + "]"
    return json_text(value)


def _equal(one: str, other: str) -> bool:
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:  # an exponent too large for `Decimal`
        return False


def plain(value: Any) -> Any:
    """Return a value with its numbers as Python numbers."""
    match value:
        case Number():
            return value.plain
        case dict():
            return {key: plain(inner) for key, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
    return value

"""Paths into JSON: `order.items[0].price` picks one value, and the value keeps every digit it was written with.

A path is parts between dots; a part is a name, a name with indexes behind it, or indexes alone. An empty part stands
for the value it is applied to, so that `.` picks the whole.
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
    """The JSON or the path is malformed, or the path leads nowhere; the message says which."""


class Number(NamedTuple):
    """A number as it is written in the JSON."""

    written: str

    @property
    def plain(self) -> int | float | str:
        """The number as Python has it, or as text where no number of Python's holds it."""
        if self.written.lstrip("-").isdigit():
            return int(self.written) if len(self.written) <= 4_000 else self.written  # noqa: PLR2004 - see `int`
        value = float(self.written)
        return value if isfinite(value) else self.written

    def __str__(self) -> str:
        """Return the number as it is written; a fraction as Python writes it, unless that loses digits."""
        plain = self.plain
        if isinstance(plain, float):
            text = repr(plain)
            return text if _equal(text, self.written) else self.written
        return "0" if self.written == "-0" else self.written


class Picked(NamedTuple):
    """What a path led to: its text, and the same as plain data."""

    text: str
    plain: Any

    @classmethod
    def of(cls, value: Any) -> Self:
        """Return a value as picked: text as it is, everything else as JSON."""
        return cls(value if isinstance(value, str) else compact(value), plain(value))


def pick(document: str, path: str) -> Picked:
    """Return the value that a path leads to.

    Raises:
        UnreadableError: Naming what is wrong with the path or with the document.
    """
    steps = _steps(path)

    def follow(value: Any) -> Picked:
        for step in steps:
            value = _step(value, step, path)
        return Picked.of(value)

    return pick_by(follow, document)


def pick_by(follow: Callable[[Any], Picked], document: str) -> Picked:
    """Return what is picked out of a document by something that follows a path.

    Raises:
        UnreadableError: Naming what is wrong with the document.
    """
    if not document:
        raise UnreadableError("JSON content must not be blank")
    try:
        picked = follow(_parse(document))
        picked.text.encode()
    except RecursionError as error:
        raise UnreadableError("Invalid JSON: nested too deeply") from error
    except UnicodeEncodeError as error:
        raise UnreadableError("Invalid JSON: a lone surrogate in a string") from error
    return picked


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for part in path.split("."):
        match = _PART.fullmatch(part)
        if not match:
            raise UnreadableError(f"Invalid path: '{path}'. The part '{part}' is neither name, name[0] nor [0]")
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
    """Follow one step; a number is a tuple, which distinguishes it from a list."""
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
    """Return a value as compact JSON with its numbers unchanged, which the standard encoder would round."""
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
    except InvalidOperation:  # an exponent beyond all bounds
        return False


def plain(value: Any) -> Any:
    """Return a value as Python has it."""
    match value:
        case Number():
            return value.plain
        case dict():
            return {key: plain(inner) for key, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
    return value

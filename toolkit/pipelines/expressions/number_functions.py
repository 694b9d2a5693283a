"""Functions on numbers, functions that convert values to another type, and the checks of their arguments."""

import re
from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

from toolkit.pipelines.expressions.json_values import (
    MAX_NESTING,
    Unfit,
    check_length,
    checked_number,
    json_of,
    kind_of,
    size_of,
    text_of,
)
from toolkit.pipelines.expressions.operators import add


def text_in(value: Any, function: str) -> str:
    """Return an argument that must be a string."""
    if isinstance(value, str):
        return value
    raise Unfit(f"{function} takes text, not {kind_of(value)}", hint="str(…) converts it to text")


def list_in(value: Any, function: str) -> list[Any]:
    """Return an argument that must be a list."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    hint = {
        "text": "split(…) and lines(…) turn text into a list",
        "a mapping": "keys(…) and values(…) turn a mapping into a list",
    }
    kind = kind_of(value)
    raise Unfit(f"{function} takes a list, not {kind}", hint=hint.get(kind))


def number_in(value: Any, function: str) -> Any:
    """Return an argument that must be a number."""
    if isinstance(value, (int, float)):
        return checked_number(value)
    raise Unfit(f"{function} takes a number, not {kind_of(value)}")


def comparable(items: list[Any], function: str) -> list[Any]:
    """Return the items if all of them can be compared with each other: they must all be numbers or all be strings."""
    if all(isinstance(item, (int, float)) for item in items) or all(isinstance(item, str) for item in items):
        return items
    odd = [kind_of(item) for item in items if not isinstance(item, (int, float, str))]
    if odd:
        raise Unfit(f"{function} compares only numbers or only text, but one item is {odd[0]}")
    raise Unfit(f"{function} cannot compare numbers with text", hint="str(…) converts a number to text")


MAX_ROUNDING = 1_000


def absolute(number: Any) -> Any:
    """Return the absolute value of a number."""
    return abs(number_in(number, "abs"))


def rounded(number: Any, digits: Any = None) -> Any:
    """Return a number rounded as in Python: halves go to the even neighbour; without `digits`, to an integer."""
    number_in(number, "round")
    if digits is not None and (not isinstance(digits, int) or abs(digits) > MAX_ROUNDING):
        raise Unfit(f"round takes a number of digits up to {MAX_ROUNDING}, not {kind_of(digits)}")
    return checked_number(round(number, digits))


def total(items: Any) -> Any:
    """Return the sum of a list of numbers."""
    total: Any = 0
    for item in list_in(items, "sum"):
        total = add(total, number_in(item, "sum"))
    return total


def _extreme(function: str, choose: Callable[[list[Any]], Any], first: Any, others: tuple[Any, ...]) -> Any:
    items = [first, *others] if others else list_in(first, function)
    if not items:
        raise Unfit(f"{function} of an empty list", hint=f"use a default, such as {function}(x) if x else 0")
    return choose(comparable(items, function))


def least(items: Any, *others: Any) -> Any:
    """Return the smallest item of a list, or of several arguments: all numbers or all strings."""
    return _extreme("min", min, items, others)


def greatest(items: Any, *others: Any) -> Any:
    """Return the largest item of a list, or of several arguments: all numbers or all strings."""
    return _extreme("max", max, items, others)


INTEGER = r"\s*[-+]?[0-9]+\s*"
NUMBER = r"\s*[-+]?(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:[eE][-+]?[0-9]+)?\s*"
STRING_OR_BRACKET = r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]'
MAX_NUMBER_TEXT = 1_300


def as_text(value: Any) -> str:
    """Return a value as `${{ }}` inside a string shows it: a string unchanged, anything else as compact JSON."""
    text = text_of(value)
    check_length(len(text))
    return text


def as_integer(value: Any) -> int:
    """Parse an integer from a string, or truncate a number to an integer."""
    if isinstance(value, str):
        if re.fullmatch(INTEGER, value) and len(value) <= MAX_NUMBER_TEXT:
            return int(checked_number(int(value)))
        raise Unfit("the text is not an integer", hint="int(float(…)) drops the digits after the decimal point")
    return int(number_in(value, "int"))


def as_number(value: Any) -> float:
    """Parse a number from a string, or convert an integer to a float."""
    if isinstance(value, str):
        if re.fullmatch(NUMBER, value) and len(value) <= MAX_NUMBER_TEXT:
            return float(checked_number(float(value)))
        raise Unfit("the text is not a number")
    return float(number_in(value, "float"))


def as_truth(value: Any) -> bool:
    """Return the truth value of a value as in Python, except that the strings `true` and `false` are parsed."""
    if isinstance(value, str) and len(value) <= len("false"):
        return {"true": True, "false": False}.get(value.lower(), bool(value))
    return bool(value)


def as_json(value: Any) -> str:
    """Return a value as compact JSON."""
    text = json_of(value)
    check_length(len(text))
    return text


def parse_json(text: Any) -> Any:
    """Parse JSON."""
    source = text_in(text, "parse_json")
    check_length(len(source))
    _check_nesting(source)
    try:
        data = _DECODER.decode(source)
    except JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Unfit(f"the text is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at {where}") from error
    size_of(data)
    return data


def _check_nesting(source: str) -> None:
    level = 0
    for found in re.finditer(STRING_OR_BRACKET, source, re.DOTALL):
        bracket = found.group()
        level += 1 if bracket in ("[", "{") else -1 if bracket in ("]", "}") else 0
        if level > MAX_NESTING:
            raise Unfit(f"the JSON is nested deeper than {MAX_NESTING} levels")


def _json_integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER_TEXT:
        raise Unfit("the JSON has a number that is too large")
    return int(checked_number(int(digits)))


def _json_number(digits: str) -> float:
    return float(checked_number(float(digits)))


def _no_constant(name: str) -> NoReturn:
    raise Unfit(f"the text is not JSON: '{name}' is not a number in JSON")


_DECODER = JSONDecoder(parse_int=_json_integer, parse_float=_json_number, parse_constant=_no_constant)

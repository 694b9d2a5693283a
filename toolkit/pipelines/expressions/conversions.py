"""Functions that convert values to another type."""

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

from toolkit.pipelines.expressions.argument_types import number_in, text_in
from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import (
    MAX_NESTING,
    check_length,
    checked_number,
    json_of,
    size_of,
    text_of,
)

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

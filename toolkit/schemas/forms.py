"""Describes the values of JSON Schema keywords: in words, as a test, and which schemas they contain."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, NamedTuple

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


class Form(NamedTuple):
    """The form that the value of a keyword must have.

    Attributes:
        words: The form in words, such as `a number`.
        fits: Whether data has this form; schemas inside it are not checked.
        holds: Which schemas it contains: one, a list, a map by name, or none.
    """

    words: str
    fits: Callable[[Any], bool]
    holds: Literal["one", "list", "one or list", "map", "nothing"] = "nothing"


def is_schema(value: Any) -> bool:
    """Return whether data may be a schema: an object, true or false."""
    return isinstance(value, Mapping | bool)


def is_number(value: Any) -> bool:
    """Return whether data is a number that JSON can represent."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(is_schema, value))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(is_schema, value.values()))


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and _are_texts(value) and len(set(value)) == len(value)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_types(value: Any) -> bool:
    names = value if isinstance(value, list | tuple) and value else [value]
    return _are_names(names) and set(names) <= set(TYPES)


def _is_map_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


SCHEMA = Form("a schema: an object, true or false", is_schema, "one")
SCHEMAS = Form("a list with at least one schema", _are_schemas, "list")
SCHEMA_OR_SCHEMAS = Form(
    "a schema, or a list with at least one schema",
    lambda value: is_schema(value) or _are_schemas(value),
    "one or list",
)
MAP = Form("an object with a schema for each name", _is_map, "map")
MAP_OF_SCHEMAS_OR_NAMES = Form(
    "an object with a schema or a list of names for each name",
    _is_map_of(lambda value: is_schema(value) or _are_names(value)),
    "map",
)
MAP_OF_NAMES = Form("an object with a list of names for each name", _is_map_of(_are_names))
MAP_OF_FLAGS = Form("an object with true or false for each address", _is_map_of(lambda value: isinstance(value, bool)))
TEXT = Form("a string", lambda value: isinstance(value, str))
FLAG = Form("true or false", lambda value: isinstance(value, bool))
NUMBER = Form("a number", is_number)
POSITIVE = Form("a number above zero", lambda value: is_number(value) and value > 0)
COUNT = Form("a whole number, zero or more", _is_count)
NAMES = Form("a list of different names", _are_names)
TYPE = Form(f"one of {', '.join(TYPES)}, or a list of different ones", _are_types)
CHOICES = Form("a list with at least one value", lambda value: isinstance(value, list | tuple) and bool(value))
VALUES = Form("a list of values", lambda value: isinstance(value, list | tuple))
VALUE = Form("any value", lambda _: True)

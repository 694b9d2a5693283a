"""Determines JSON types: those of data, and those that a single schema declares."""

from collections.abc import Mapping
from typing import Any

from toolkit.schemas.forms import TYPES
from toolkit.schemas.places import MAPPINGS

ANYTHING = frozenset(TYPES)


def kind_of_data(value: Any) -> str:
    """Return the JSON type of plain data."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def declared_kinds(node: Any) -> frozenset[str]:
    """Return the types that a schema declares, or that its listed values have; empty if it has neither."""
    if not isinstance(node, MAPPINGS):
        return frozenset()
    if node.get("format") == "decimal":  # a number that is written as a string, to keep its precision
        return frozenset({"string", "number"})
    if types := types_of(node):
        return frozenset(types)
    values = [node["const"]] if "const" in node else node.get("enum")
    if isinstance(values, list | tuple):
        return frozenset(map(kind_of_data, values))
    return frozenset({"object"} if "properties" in node else ())


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the types in a schema's `type`."""
    given = node.get("type")
    named = [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else []
    return tuple(name for name in named if isinstance(name, str))


def in_both(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return the types that both sets allow; an integer is also a number."""
    both = one & other
    return both | {"integer"} if _meet(one, other) or _meet(other, one) else both


def _meet(one: frozenset[str], other: frozenset[str]) -> bool:
    return "integer" in one and "number" in other


def is_of_type(value: Any, name: str) -> bool:
    """Return whether a JSON value has a type of JSON Schema."""
    if name in {"integer", "number"} and isinstance(value, int | float) and not isinstance(value, bool):
        return name == "number" or value == int(value)
    kinds = {"string": str, "boolean": bool, "array": list | tuple, "object": dict, "null": type(None)}
    return name in kinds and isinstance(value, kinds[name])


def type_of_value(value: Any) -> str:
    """Return the narrowest type of JSON Schema that a value has."""
    names = ("null", "boolean", "integer", "number", "string", "array", "object")
    return next((name for name in names if is_of_type(value, name)), "string")

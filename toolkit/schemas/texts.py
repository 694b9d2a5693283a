"""Finds the texts that a model reads in a schema: descriptions, names of members, and values."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.schemas.places import Pointer

_ONE_VALUE = frozenset({"const", "default", "title", "$comment"})
_VALUES = frozenset({"enum", "examples"})


class SchemaText(NamedTuple):
    """A text in a schema.

    Attributes:
        kind: The kind of text; a `value` is an enum value, a constant, a default or an example.
        value: The text.
        parameter: The outermost name that it belongs to: a parameter of the tool.
        pointer: Its location; that of a member's name is the location of its schema.
    """

    kind: Literal["description", "parameter name", "parameter", "value"]
    value: str
    parameter: str | None
    pointer: Pointer


def own_texts(node: Mapping[str, Any], pointer: Pointer, parameter: str | None) -> Iterator[SchemaText]:
    """Yield the texts of a schema itself, without those of schemas inside it."""
    for key, value in node.items():
        if key == "description" and isinstance(value, str):
            yield SchemaText("parameter" if parameter else "description", value, parameter, (*pointer, key))
        elif key in _ONE_VALUE and isinstance(value, str):
            yield SchemaText("value", value, parameter, (*pointer, key))
        elif key in _VALUES and isinstance(value, list | tuple):
            for index, one in enumerate(value):
                if isinstance(one, str):
                    yield SchemaText("value", one, parameter, (*pointer, key, index))

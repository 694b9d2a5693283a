"""Texts: what a model reads in a schema: descriptions and names of members, and their values."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.schemas.places import Pointer

_ONE_VALUE = frozenset({"const", "default", "title", "$comment"})
_VALUES = frozenset({"enum", "examples"})


class SchemaText(NamedTuple):
    """One text of a schema.

    Attributes:
        kind: What it is: a `value` is an enumerated or default one.
        value: The text.
        parameter: The outermost name that it stands under: the parameter of a tool.
        pointer: Where it stands; the name of a member stands where its schema does.
    """

    kind: Literal["description", "parameter name", "parameter", "value"]
    value: str
    parameter: str | None
    pointer: Pointer


def own_texts(node: Mapping[str, Any], pointer: Pointer, parameter: str | None) -> Iterator[SchemaText]:
    """Yield the texts of a schema that stand in no schema inside it."""
    for key, value in node.items():
        if key == "description" and isinstance(value, str):
            yield SchemaText("parameter" if parameter else "description", value, parameter, (*pointer, key))
        elif key in _ONE_VALUE and isinstance(value, str):
            yield SchemaText("value", value, parameter, (*pointer, key))
        elif key in _VALUES and isinstance(value, list | tuple):
            for index, one in enumerate(value):
                if isinstance(one, str):
                    yield SchemaText("value", one, parameter, (*pointer, key, index))

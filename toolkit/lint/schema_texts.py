"""The texts inside a JSON Schema that a model reads: what is said of its members, their names, and their values."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.lint.definitions import TextKind

Path = tuple[str | int, ...]

_NAMED = {"properties", "$defs", "definitions", "patternProperties"}
_LISTED = {"anyOf", "oneOf", "allOf", "prefixItems"}
_SINGLE = {"items", "additionalProperties", "not", "contains", "if", "then", "else"}
_ONE_VALUE = {"const", "default", "title"}
_VALUES = {"enum", "examples"}
_DEEPEST = 60


class SchemaText(NamedTuple):
    """One text of a schema: what it is, the parameter of the tool that it belongs to, and the path that leads to it."""

    kind: TextKind
    value: str
    parameter: str | None
    path: Path


def texts_in(schema: Any, path: Path = (), parameter: str | None = None) -> Iterator[SchemaText]:
    """Yield every text, in the order in which they stand."""
    if not isinstance(schema, Mapping) or len(path) > _DEEPEST:
        return
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            yield from _members(value, (*path, key), parameter)
        elif key in _LISTED and isinstance(value, list):
            for index, one in enumerate(value):
                yield from texts_in(one, (*path, key, index), parameter)
        elif key in _SINGLE:
            yield from texts_in(value, (*path, key), parameter)
        else:
            yield from _own(key, value, (*path, key), parameter)


def _members(members: Mapping[str, Any], path: Path, parameter: str | None) -> Iterator[SchemaText]:
    for name, inner in members.items():
        of = parameter or name
        yield SchemaText("parameter name", name, of, (*path, name))
        yield from texts_in(inner, (*path, name), of)


def _own(key: str, value: Any, path: Path, parameter: str | None) -> Iterator[SchemaText]:
    if isinstance(value, str) and key == "description":
        yield SchemaText("parameter" if parameter else "description", value, parameter, path)
    elif isinstance(value, str) and key in _ONE_VALUE:
        yield SchemaText("value", value, parameter, path)
    elif isinstance(value, list) and key in _VALUES:
        for index, one in enumerate(value):
            if isinstance(one, str):
                yield SchemaText("value", one, parameter, (*path, index))

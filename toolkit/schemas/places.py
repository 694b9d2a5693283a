"""Finds the schemas inside a schema, and the targets of its references."""

from collections.abc import Callable, Container, Iterator, Mapping
from math import isfinite
from typing import Any

from toolkit.schemas.keywords import DEFINITIONS, HOLDERS, MAPS, TYPES

Pointer = tuple[str | int, ...]
"""The keys and positions that lead to a part of a schema."""

Place = tuple[Pointer, Any]

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
_OLD_ANCHORS = ("$id", "id")  # before 2019, an anchor was an identifier with only a fragment
_NOWHERE = object()

MAPPINGS = (dict, Mapping)
"""The types of a JSON object. Most are plain dicts, for which the check is much faster than for other mappings."""
_SCHEMAS = (*MAPPINGS, bool)


def places_in(node: Any, keywords: Container[str] = HOLDERS) -> list[Place]:
    """Return the schemas directly inside a schema, in order. Data, such as `examples`, is not searched.

    Args:
        node: Any data.
        keywords: The keywords to search.
    """
    found: list[Place] = []
    for key, value in node.items() if isinstance(node, MAPPINGS) else ():
        if key not in keywords:
            continue
        if isinstance(value, list | tuple):
            found += [((key, index), one) for index, one in enumerate(value) if isinstance(one, _SCHEMAS)]
        elif key in MAPS and isinstance(value, MAPPINGS):
            found += [((key, name), one) for name, one in value.items() if isinstance(one, _SCHEMAS)]
        elif isinstance(value, _SCHEMAS):
            found.append(((key,), value))
    return found


def changed_inside(node: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema in which each schema directly inside it is changed; data in it is kept."""
    copy = dict(node)
    for (key, *under), inner in places_in(node):
        if not under:
            copy[str(key)] = change(inner)
            continue
        if copy[str(key)] is node[str(key)]:
            held = node[str(key)]
            copy[str(key)] = dict(held) if isinstance(held, MAPPINGS) else list(held)
        copy[str(key)][under[0]] = change(inner)
    return copy


def places_within(root: Any) -> Iterator[Place]:
    """Yield a schema and all schemas inside it, outer ones first, in order."""
    waiting: list[Place] = [((), root)]
    while waiting:
        pointer, node = waiting.pop()
        yield pointer, node
        inner = [((*pointer, *steps), one) for steps, one in places_in(node)]
        waiting += reversed(inner)


def steps_of(pointer: Pointer) -> list[tuple[str, str | int | None]]:
    """Return the keywords in a pointer, each with the name or index that follows it, if any."""
    steps, rest = [], list(pointer)
    while rest:
        key = str(rest.pop(0))
        is_pair = bool(rest) and (key in MAPS or isinstance(rest[0], int))
        steps.append((key, rest.pop(0) if is_pair else None))
    return steps


def name_at(pointer: Pointer) -> str | None:
    """Return the name of a schema, such as that of a member or a definition; None if it has none."""
    keyword, name = steps_of(pointer)[-1] if pointer else ("", None)
    return name if keyword in MAPS and isinstance(name, str) else None


def definitions_in(root: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a root schema that contain the definitions for its parts."""
    return {key: root[key] for key in DEFINITIONS if isinstance(root.get(key), MAPPINGS)}


def reference_in(node: Any) -> str | None:
    """Return the reference of a schema as it is written; None if it has none."""
    for key in REFERENCES if isinstance(node, MAPPINGS) else ():
        if isinstance(found := node.get(key), str):
            return found
    return None


def place_of(root: Any, reference: str) -> Place | None:
    """Return the target of a JSON pointer or an anchor inside a schema; None if there is none."""
    whole, _, fragment = reference.partition("#")
    if whole and (not isinstance(root, Mapping) or whole not in (root.get("$id"), root.get("id"))):
        return None
    fragment = decoded(fragment)
    if fragment and not fragment.startswith("/"):
        return next((place for place in places_within(root) if _is_anchored(place[1], fragment)), None)
    return followed(root, [unescaped(step) for step in fragment.split("/")[1:]])


def name_in_reference(reference: str) -> str:
    """Return the last name in a reference, which is that of the definition."""
    return unescaped(decoded(reference).rpartition("/")[2])


def decoded(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # names with such characters are rare

    return unquote(text)


def unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _is_anchored(node: Any, name: str) -> bool:
    return isinstance(node, Mapping) and (
        any(node.get(key) == name for key in _ANCHORS) or any(node.get(key) == f"#{name}" for key in _OLD_ANCHORS)
    )


def followed(node: Any, steps: list[str]) -> Place | None:
    pointer: list[str | int] = []
    for step in steps:
        if isinstance(node, Mapping):
            node = node.get(step, _NOWHERE)
            pointer.append(step)
        elif isinstance(node, list | tuple) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
            pointer.append(int(step))
        else:
            return None
    return (tuple(pointer), node) if isinstance(node, Mapping | bool) else None


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
        return isinstance(value, int) or (isfinite(value) and (name == "number" or value.is_integer()))
    kind = _CLASSES.get(name)
    return kind is not None and isinstance(value, kind)


_CLASSES: Mapping[str, Any] = {
    "string": str,
    "boolean": bool,
    "array": (list, tuple),
    "object": MAPPINGS,
    "null": type(None),
}


def type_of_value(value: Any) -> str:
    """Return the narrowest type of JSON Schema that a value has."""
    names = ("null", "boolean", "integer", "number", "string", "array", "object")
    return next((name for name in names if is_of_type(value, name)), "string")

"""Merges several schemas that must all match into one, as far as one can express them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from json import dumps
from typing import Any

from toolkit.dialects.provider_limits import Limit, Notes
from toolkit.dialects.schema_parts import Part, walk
from toolkit.schemas.places import types_of

ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)
_OBJECT = ("properties", "additionalProperties", "patternProperties", "unevaluatedProperties")
_TOGETHER = (
    _OBJECT,
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
    ("prefixItems", "items", "unevaluatedItems"),
)


def merge_all_of(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Merge every `allOf` into the schema that contains it; what cannot be merged stays in `allOf`."""
    for part in reversed(list(walk(root))):  # inner parts first
        if "allOf" in part:
            part.become(conjoined([part.without("allOf"), *part["allOf"]]))
            notes.changed(part.pointer, "its allOf is written as one schema", limit)


def conjoined(parts: Sequence[Part]) -> Part:
    """Return one schema for all of them; if they contradict each other or cannot be merged, an `allOf` remains."""
    result = parts[0]
    for other in parts[1:]:
        result = _both(result, other)
    return result


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON: `1` is not `true`."""
    return key_of(one) == key_of(other)


def key_of(value: Any) -> str:
    """Return JSON text for comparing values."""
    return dumps(value, sort_keys=True, default=str)


def unique(values: Iterable[Any]) -> list[Any]:
    """Return the distinct values, in order."""
    return list({key_of(value): value for value in values}.values())


def _both(one: Part, other: Part) -> Part:
    result, rest = Part(one, one.pointer), Part(pointer=other.pointer)
    fresh = dict(other)
    for group in _TOGETHER:
        mine, theirs = ({key: part[key] for key in group if key in part} for part in (one, other))
        if mine and theirs and not same(mine, theirs):
            joined = _joined_group(group, mine, theirs)
            (rest if joined is None else result).update(theirs if joined is None else joined)
        if mine:
            fresh = {key: value for key, value in fresh.items() if key not in theirs}
    for key, value in fresh.items():
        _add(result, rest, key, value)
    if rest:
        result["allOf"] = [*result.get("allOf", ()), rest]
    return result


def _add(result: Part, rest: Part, key: str, value: Any) -> None:
    if key == "allOf":
        result[key] = [*result.get(key, ()), *value]
    elif key not in result:
        result[key] = value
    elif not same(result[key], value) and key not in ANNOTATIONS:
        joined = _JOINERS[key](result[key], value) if key in _JOINERS else None
        (rest if joined is None else result)[key] = value if joined is None else joined


def _joined_group(group: Sequence[str], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any] | None:
    known = {"properties", "additionalProperties"} if group is _OBJECT else {"items"}
    if group[0] in {"if", "contains"} or not {*mine, *theirs} <= known:
        return None
    if group is not _OBJECT:
        return {"items": conjoined([mine["items"], theirs["items"]])}
    names = dict.fromkeys([*mine.get("properties", ()), *theirs.get("properties", ())])
    properties = {name: _joined_property(_demands(mine, name), _demands(theirs, name)) for name in names}
    joined: dict[str, Any] = {"properties": {name: part for name, part in properties.items() if part is not None}}
    more = [keywords["additionalProperties"] for keywords in (mine, theirs) if "additionalProperties" in keywords]
    if more:
        joined["additionalProperties"] = _joined_more(more)
    return joined


def _demands(keywords: Mapping[str, Any], name: str) -> Any:
    properties = keywords.get("properties", {})
    return properties[name] if name in properties else keywords.get("additionalProperties", True)


def _joined_property(one: Any, other: Any) -> Part | None:
    """Return the schema that a member must match, or None if it is not allowed."""
    if one is False or other is False:
        return None
    parts = [part for part in (one, other) if isinstance(part, Part)]
    return conjoined(parts)


def _joined_more(more: Sequence[Any]) -> Any:
    if False in more:
        return False
    parts = [part for part in more if isinstance(part, Part)]
    return conjoined(parts) if parts else True


def _joined_types(one: Any, other: Any) -> Any:
    left, right = types_of({"type": one}), types_of({"type": other})
    both = [name for name in left if name in right or (name == "integer" and "number" in right)]
    both += [name for name in right if name == "integer" and "number" in left and name not in both]
    return (both[0] if len(both) == 1 else both) or None


def _joined_enums(one: Any, other: Any) -> Any:
    keys = {key_of(value) for value in other}
    return [value for value in one if key_of(value) in keys] or None


def _joined_names(one: Any, other: Any) -> Any:
    return list(dict.fromkeys([*one, *other]))


_JOINERS: dict[str, Callable[[Any, Any], Any]] = {
    "type": _joined_types,
    "enum": _joined_enums,
    "required": _joined_names,
    "uniqueItems": lambda one, other: bool(one or other),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}

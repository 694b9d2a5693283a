"""Represents a JSON Schema as a mutable copy whose parts know their location in the original; several can be merged.

The input may be any data. Only valid JSON Schema is kept, so that code that changes parts can rely on their form:
`properties` is a mapping of parts, `anyOf` a list of at least one part, `type` a known name or a list of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from toolkit.codes import BOOLEAN_SUBSCHEMA, INVALID_SCHEMA
from toolkit.dialects.provider_limits import Limit, Notes, Source
from toolkit.schemas.keywords import DRAFTS, HOLDERS, TYPES, is_schema
from toolkit.schemas.places import places_in, types_of
from toolkit.schemas.schema import DEEPEST

_SPECIFICATION = Source("https://json-schema.org/draft/2020-12", "2026-11-22")
_WELL_FORMED = Limit(True, "anything but JSON Schema is rejected or misread", _SPECIFICATION)
_NOTHING = object()
_INDEX = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_OPENING = frozenset({"additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems"})
_KNOWN = DRAFTS["2020-12"]


class Part(dict[str, Any]):
    """A schema or a part of one, with the location of its original, and words to add to its description."""

    __slots__ = ("pointer", "words")

    def __init__(self, keywords: Mapping[str, Any] | None = None, pointer: str = "") -> None:
        """Copy the keywords unchanged."""
        super().__init__(keywords or {})
        self.pointer = pointer
        self.words: list[str] = []

    def become(self, keywords: Mapping[str, Any]) -> None:
        """Replace the keywords."""
        changed = dict(keywords)
        self.clear()
        self.update(changed)

    def without(self, *keys: str) -> "Part":
        """Return a part without some keywords."""
        return Part({key: value for key, value in self.items() if key not in keys}, self.pointer)

    def twin(self) -> "Part":
        """Return a copy that shares no data with this part, with the same locations."""
        return Part({key: _twin(value) for key, value in self.items()}, self.pointer)

    def plain(self) -> dict[str, Any]:
        """Return a copy as plain data."""
        return {key: _plain(value) for key, value in self.items()}


def walk(part: Part) -> Iterator[Part]:
    """Yield a part and all parts inside it, outer ones first; changes made meanwhile are seen."""
    waiting = [part]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(inner_parts(current))


def inner_parts(part: Part) -> list[Part]:
    """Return the parts directly inside."""
    return [inner for _, inner in places_in(part) if isinstance(inner, Part)]


def write_words(part: Part) -> None:
    """Append the collected words to a schema's description."""
    description = str(part.get("description", "")).rstrip()
    more = "; ".join(text for text in dict.fromkeys(part.words) if text and text not in description)
    part.words.clear()
    if more:
        part["description"] = f"{description} ({more})" if description else more


def read_schema(schema: Mapping[str, Any], pointer: str, notes: Notes) -> Part:
    """Return a schema as parts.

    Args:
        schema: Data that is meant to be a JSON Schema.
        pointer: The location of the schema.
        notes: Receives what is left out because it is not valid.
    """
    return _Reader(notes).read(schema, pointer, 0)


def child(pointer: str, *steps: str) -> str:
    """Return the JSON pointer to something inside."""
    return "/".join([pointer, *(step.replace("~", "~0").replace("/", "~1") for step in steps)])


def path_of(pointer: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of a JSON pointer."""
    steps = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
    return tuple(int(step) if _INDEX.fullmatch(step) else step for step in steps)


class _Reader:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def read(self, schema: Any, pointer: str, depth: int) -> Part:
        part = Part(pointer=pointer)
        if schema is False:
            part["not"] = Part(pointer=pointer)
        elif depth > DEEPEST:
            self._notes.changed(pointer, "left out: it is nested too deeply", _WELL_FORMED, INVALID_SCHEMA)
        elif isinstance(schema, Mapping):
            for key, value in schema.items():
                if key != "description" or value != "":  # it would say nothing, and some providers refuse it
                    self._keep(part, key, value, depth)
        return part

    def _keep(self, part: Part, key: Any, value: Any, depth: int) -> None:
        place = child(part.pointer, str(key))
        if key == "items" and isinstance(value, list):  # tuples before draft 2020-12
            key = "prefixItems"
        kept = self._kept(key, value, place, depth)
        if kept is _NOTHING:
            self._notes.changed(place, f"left out: {str(key)!r} cannot have this value", _WELL_FORMED, INVALID_SCHEMA)
        else:
            part[str(key)] = kept

    def _kept(self, key: str, value: Any, place: str, depth: int) -> Any:
        holds = HOLDERS[key].form.holds if key in HOLDERS else "nothing"
        if holds == "map":
            return self._by_name(key, value, place, depth)
        if holds == "list":
            return self._listed(value, place, depth)
        if key in _OPENING and isinstance(value, bool):
            return value
        if holds != "nothing":
            return self.read(value, place, depth + 1) if is_schema(value) else _NOTHING
        return value if key not in _KNOWN or _KNOWN[key].form.fits(value) else _corrected(key, value)

    def _listed(self, value: Any, place: str, depth: int) -> Any:
        listed = enumerate(value if isinstance(value, list | tuple) else ())
        return [self.read(one, child(place, str(at)), depth + 1) for at, one in listed if is_schema(one)] or _NOTHING

    def _by_name(self, key: str, value: Any, place: str, depth: int) -> Any:
        if not isinstance(value, Mapping):
            return _NOTHING
        kept: dict[str, Any] = {}
        for name, inner in value.items():
            there = child(place, str(name))
            if key == "properties" and isinstance(inner, bool):
                what = "a schema that is only true or false is written as an object"
                self._notes.changed(there, what, _WELL_FORMED, BOOLEAN_SUBSCHEMA)
            if is_schema(inner):
                kept[str(name)] = self.read(inner, there, depth + 1)
            elif key == "dependencies":  # the names of members that another one requires
                kept[str(name)] = inner
        return kept


def _corrected(key: str, value: Any) -> Any:
    """Return the intended value if the form is wrong; `_NOTHING` if it is unknown."""
    if key == "type":
        known = [*dict.fromkeys(name.lower() for name in types_of({"type": value}) if name.lower() in TYPES)]
        return (known[0] if len(known) == 1 else known) if known else _NOTHING
    if key == "required" and isinstance(value, list | tuple):
        return [*dict.fromkeys(name for name in value if isinstance(name, str))] or _NOTHING
    return _NOTHING


def _twin(value: Any) -> Any:
    if isinstance(value, Part):
        return value.twin()
    if isinstance(value, dict):
        return {key: _twin(inner) for key, inner in value.items()}
    return [_twin(inner) for inner in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


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

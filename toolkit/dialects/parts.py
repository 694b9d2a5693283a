"""Parts: a JSON Schema as a copy that may be changed, in which every part knows where it stood in the original.

What is read is data from anywhere. Reading keeps what JSON Schema understands of it, so that whoever changes parts
may trust their form: `properties` is a mapping of parts, `anyOf` a list of parts with at least one, `type` a known
name or a list of them.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from toolkit.codes import BOOLEAN_SUBSCHEMA
from toolkit.dialects.changes import Notes
from toolkit.dialects.limits import Limit, Source
from toolkit.tools.schemas import BY_NAME, LISTED, SINGLE, subschemas

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")

_SPECIFICATION = Source("https://json-schema.org/draft/2020-12", "2026-11-22")
_WELL_FORMED = Limit(True, "what is not JSON Schema is refused or misread", _SPECIFICATION)
DEEPEST = 100
_NOTHING = object()
_OPENING = frozenset({"additionalProperties", "unevaluatedProperties", "unevaluatedItems"})


class Part(dict[str, Any]):
    """A schema, or one inside another, with the place of its original, and words that its description is to have."""

    __slots__ = ("pointer", "words")

    def __init__(self, keywords: Mapping[str, Any] | None = None, pointer: str = "") -> None:
        """Take over keywords as they are."""
        super().__init__(keywords or {})
        self.pointer = pointer
        self.words: list[str] = []

    def become(self, keywords: Mapping[str, Any]) -> None:
        """Say something else in the same place."""
        changed = dict(keywords)
        self.clear()
        self.update(changed)

    def without(self, *keys: str) -> "Part":
        """Return a part that says the same but for some keywords."""
        return Part({key: value for key, value in self.items() if key not in keys}, self.pointer)

    def twin(self) -> "Part":
        """Return a copy that shares nothing with this one, with the same places."""
        return Part({key: _twin(value) for key, value in self.items()}, self.pointer)

    def plain(self) -> dict[str, Any]:
        """Return it as plain data that shares nothing with it."""
        return {key: _plain(value) for key, value in self.items()}


def walk(part: Part) -> Iterator[Part]:
    """Yield a part and all inside it, outer ones first, as they are at that moment."""
    waiting = [part]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [inner for inner in reversed(list(subschemas(current))) if isinstance(inner, Part)]


def types_of(part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the types that a schema gives."""
    given = part.get("type", ())
    return (given,) if isinstance(given, str) else tuple(given)


def write_words(part: Part) -> None:
    """Write the words that were gathered into a schema's description, behind what it says already."""
    said = str(part.get("description", "")).rstrip()
    more = "; ".join(text for text in dict.fromkeys(part.words) if text and text not in said)
    part.words.clear()
    if more:
        part["description"] = f"{said} ({more})" if said else more


def read_schema(schema: Mapping[str, Any], pointer: str, notes: Notes) -> Part:
    """Return a schema as parts.

    Args:
        schema: Data that is meant to be a JSON Schema.
        pointer: Where it stands.
        notes: Receives what is left out because it is none.
    """
    return _Reader(notes).read(schema, pointer, 0)


def child(pointer: str, *steps: str) -> str:
    """Return the pointer to something inside."""
    return "/".join([pointer, *(step.replace("~", "~0").replace("/", "~1") for step in steps)])


class _Reader:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def read(self, schema: Any, pointer: str, depth: int) -> Part:
        part = Part(pointer=pointer)
        if schema is False:
            part["not"] = Part(pointer=pointer)
        elif depth > DEEPEST:
            self._notes.changed(pointer, "left out: it is nested too deeply", _WELL_FORMED)
        elif isinstance(schema, Mapping):
            for key, value in schema.items():
                self._keep(part, key, value, depth)
        return part

    def _keep(self, part: Part, key: Any, value: Any, depth: int) -> None:
        place = child(part.pointer, str(key))
        if key == "items" and isinstance(value, list):  # the drafts before 2020 said tuples so
            key = "prefixItems"
        kept = self._kept(key, value, place, depth)
        if kept is _NOTHING:
            self._notes.changed(place, f"left out: {str(key)!r} cannot have this value", _WELL_FORMED)
        else:
            part[str(key)] = kept

    def _kept(self, key: str, value: Any, place: str, depth: int) -> Any:
        if key in BY_NAME:
            return self._by_name(key, value, place, depth)
        if key in LISTED:
            inner = [self.read(one, child(place, str(index)), depth + 1) for index, one in _schemas(value)]
            return inner or _NOTHING
        if key in _OPENING and isinstance(value, bool):
            return value
        if key in SINGLE:
            return self.read(value, place, depth + 1) if isinstance(value, Mapping | bool) else _NOTHING
        wanted = _FORMS.get(key)
        return value if wanted is None or wanted(value) else _mended(key, value)

    def _by_name(self, key: str, value: Any, place: str, depth: int) -> Any:
        if not isinstance(value, Mapping):
            return _NOTHING
        for name, inner in value.items():
            if key == "properties" and isinstance(inner, bool):
                what = "a schema that is only true or false is written as an object"
                self._notes.changed(child(place, str(name)), what, _WELL_FORMED, BOOLEAN_SUBSCHEMA)
        schemas = {str(name): inner for name, inner in value.items() if isinstance(inner, Mapping | bool)}
        return {name: self.read(inner, child(place, name), depth + 1) for name, inner in schemas.items()}


def _schemas(value: Any) -> list[tuple[int, Any]]:
    listed = value if isinstance(value, list | tuple) else ()
    return [(index, one) for index, one in enumerate(listed) if isinstance(one, Mapping | bool)]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value)


def _are_types(value: Any) -> bool:
    names = value if isinstance(value, list | tuple) and value else [value]
    return all(isinstance(name, str) and name in TYPES for name in names)


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)


_FORMS: dict[str, Callable[[Any], bool]] = {
    "type": _are_types,
    "required": _are_names,
    "enum": _is_list,
    **dict.fromkeys(("description", "title", "format", "pattern", "$ref", "$anchor"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count),
}


def _mended(key: str, value: Any) -> Any:
    """Return what a value of another form was meant to be, or nothing."""
    if key == "type":
        names = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        known = [name.lower() for name in names if _is_text(name) and name.lower() in TYPES]
        return (known[0] if len(known) == 1 else known) if known else _NOTHING
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

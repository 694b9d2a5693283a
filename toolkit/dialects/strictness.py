"""Applies what strict modes require of every schema: a type, closed objects, and all properties required."""

from typing import Any

from toolkit.codes import OPEN_OBJECT, REQUIRED_UNKNOWN, STRICT_OPTIONAL, UNSUPPORTED_KEYWORD
from toolkit.dialects.changes import Notes, Objection, refusal
from toolkit.dialects.limits import Limit
from toolkit.dialects.merging import unique
from toolkit.dialects.parts import Part, child, walk
from toolkit.dialects.unions import TYPED_KEYS, allow_null
from toolkit.schemas.kinds import is_of_type, type_of_value, types_of

_SAYING_TYPE = ("type", "anyOf", "$ref")
_SIGNS = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_PLAIN = ("string", "number", "boolean", "null")


def declare_required(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Describe everything that is required, and do not require what is not allowed."""
    for part in walk(root):
        more, place = part.get("additionalProperties"), child(part.pointer, "required")
        for name in [name for name in part.get("required", ()) if name not in part.get("properties", {})]:
            if more is False:
                part["required"] = [other for other in part["required"] if other != name]
                notes.changed(place, f"{name!r} is not allowed, so it is not required", limit, REQUIRED_UNKNOWN)
            else:
                described = more.twin() if isinstance(more, Part) else Part(pointer=part.pointer)
                part["properties"] = part.get("properties", {}) | {name: described}
                notes.changed(place, f"{name!r} is required, so it is described", limit, REQUIRED_UNKNOWN)


def give_types(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Give every schema a type: that of its values, or the one that its other keywords imply.

    A schema that accepts anything becomes a union of plain types; losing lists and objects is recorded as an objection.
    """
    for part in walk(root):
        if not any(key in part for key in _SAYING_TYPE):
            found = _types_of_values(part) or _types_of_signs(part)
            if found:
                part["type"] = found[0] if len(found) == 1 else found
            else:
                part["anyOf"] = [Part({"type": name}, part.pointer) for name in _PLAIN]
                notes.object_to(_anything(part.pointer, limit))
            what = "given the type " + (" or ".join(found) if found else "of any plain value")
            notes.changed(part.pointer, what, limit)
        if _lacks_items(part):
            part["items"] = Part(pointer=part.pointer)
        types = types_of(part)
        if "enum" in part and types:
            fitting = [value for value in part["enum"] if any(is_of_type(value, name) for name in types)]
            part["enum"] = unique(fitting or part["enum"])


def give_items(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Give every array a schema for its items, which accepts anything if there was none."""
    for part in walk(root):
        if _lacks_items(part):
            part["items"] = Part(pointer=part.pointer)
            notes.changed(part.pointer, "given items of any type", limit)


def _lacks_items(part: Part) -> bool:
    return "array" in types_of(part) and "items" not in part


def _types_of_values(part: Part) -> list[str]:
    values = part.get("enum", [part["const"]] if "const" in part else [])
    return unique(type_of_value(value) for value in values)


def _types_of_signs(part: Part) -> list[str]:
    if not part.keys() & TYPED_KEYS:
        return []
    return [name for name, signs in _SIGNS.items() if any(sign in part for sign in signs)]


def close_objects(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Close every object: only described properties can be sent.

    An object with arbitrary members can then only be sent empty, which is recorded as an objection.
    """
    for part in walk(root):
        if "object" not in types_of(part):
            continue
        more = part.get("additionalProperties", True)
        is_bare = not part.get("properties") and part is not root
        if isinstance(more, Part) or "patternProperties" in part or (is_bare and more is not False):
            notes.object_to(_open_object(part.pointer, limit))
        part.setdefault("properties", {})
        if more is not False:
            part["additionalProperties"] = False
            notes.changed(part.pointer, "closed: only its properties can be sent", limit, OPEN_OBJECT)


def require_all(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Require every property; optional ones may be null instead."""
    for part in walk(root):
        if "object" not in types_of(part):
            continue
        required = part.get("required", [])
        for name, schema in part["properties"].items():
            if name not in required:
                allow_null(schema)
                notes.changed(schema.pointer, "required; null means left out", limit, STRICT_OPTIONAL)
        part["required"] = list(part["properties"])


def _anything(pointer: str, limit: Limit[Any]) -> Objection:
    message = f"{_called(pointer)} accepts anything, but only strings, numbers, booleans and null can be sent"
    return Objection(
        UNSUPPORTED_KEYWORD, pointer, message=message, severity="warning", limit=limit, hint="give it a type"
    )


def _open_object(pointer: str, limit: Limit[Any]) -> Objection:
    message = f"{_called(pointer)} has arbitrary members, but it can only be sent empty"
    return refusal(UNSUPPORTED_KEYWORD, pointer, message, limit, hint="use a list of objects with named fields instead")


def _called(pointer: str) -> str:
    """Return a readable name for a location: the last step of its pointer."""
    step = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    return f"'{step}'"

"""Applies what strict modes require of every schema: a type, closed objects, and all properties required."""

from collections.abc import Sequence
from typing import Any

from toolkit.codes import OPEN_OBJECT, REQUIRED_UNKNOWN, STRICT_OPTIONAL, UNSUPPORTED_KEYWORD
from toolkit.dialects.provider_limits import Limit, Notes, Objection, refusal
from toolkit.dialects.schema_parts import ANNOTATIONS, Part, child, conjoined, key_of, unique, walk
from toolkit.schemas.keywords import as_json
from toolkit.schemas.places import is_of_type, type_of_value, types_of

_FOR_ONE_TYPE = {
    "string": {"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
              "unevaluatedItems"},
    "object": {"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
               "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"},
    "boolean": set(),
    "null": set(),
}  # fmt: skip
TYPED_KEYS = frozenset().union(*_FOR_ONE_TYPE.values())


def use_any_of(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Write `oneOf` as `anyOf`, which also allows values that match several branches."""
    for part in walk(root):
        if "oneOf" in part and "anyOf" not in part:
            part.become({"anyOf" if key == "oneOf" else key: value for key, value in part.items()})
            notes.changed(part.pointer, "its oneOf is written as anyOf", limit)


def distribute(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Copy the keywords next to an `anyOf` into each of its branches, so that each is complete."""
    for part in walk(root):
        beside = part.without("anyOf", "$defs", *ANNOTATIONS)
        if "anyOf" in part and beside:
            annotations = {key: value for key, value in part.items() if key in ANNOTATIONS or key == "$defs"}
            branches = [conjoined([Part(branch, branch.pointer), beside.twin()]) for branch in part["anyOf"]]
            part.become(annotations | {"anyOf": branches})
            notes.changed(part.pointer, "the keywords next to its anyOf are written into each branch", limit)


def split_types(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Write a list of types as an `anyOf` with a branch for each."""
    for part in walk(root):
        types = types_of(part)
        if len(types) == 1:
            part["type"] = types[0]
        elif types and "anyOf" not in part:
            annotations = {key: value for key, value in part.items() if key in ANNOTATIONS or key == "$defs"}
            demands = part.without("type", "$defs", *ANNOTATIONS)
            part.become(annotations | {"anyOf": [_branch(name, demands) for name in types]})
            notes.changed(part.pointer, "its types are written as anyOf", limit)


def _branch(name: str, demands: Part) -> Part:
    kept = {key: value for key, value in demands.items() if key in _FOR_ONE_TYPE[name] or key not in TYPED_KEYS}
    branch = Part({"type": name, **kept}, demands.pointer).twin()
    if "enum" in branch:
        branch["enum"] = [value for value in branch["enum"] if is_of_type(value, name)]
        if name == "null" or not branch["enum"]:
            del branch["enum"]
    return branch


def allow_null(part: Part) -> None:
    """Let a schema allow null too."""
    if allows_null(part):
        return
    types = types_of(part)
    if types and not {"anyOf", "const", "$ref", "not", "oneOf", "allOf"} & part.keys():
        part["type"] = [*types, "null"]
        if "enum" in part:
            part["enum"] = unique([*part["enum"], None])
    elif "anyOf" in part and not part.without("anyOf", *ANNOTATIONS):
        part["anyOf"] = [*part["anyOf"], Part({"type": "null"}, part.pointer)]
    else:
        annotations = {key: value for key, value in part.items() if key in ANNOTATIONS}
        inner = part.without(*ANNOTATIONS)
        part.become(annotations | {"anyOf": [inner, Part({"type": "null"}, part.pointer)]})


def allows_null(part: Part) -> bool:
    """Return whether a schema is known to allow null already."""
    if part.get("const", 0) is None:
        return True
    if "enum" in part and None not in part["enum"]:
        return False
    if "anyOf" in part:
        return any(allows_null(branch) for branch in part["anyOf"]) and not part.without("anyOf", *ANNOTATIONS)
    return "null" in types_of(part)


def flatten_root(root: Part, notes: Notes, limit: Limit[frozenset[str]]) -> None:
    """Write a root that is a union as one object with all branches' parameters, and describe which belong together.

    Args:
        root: A schema whose branches have no references.
        notes: Receives what was changed.
        limit: The keywords that are not allowed there.
    """
    if "allOf" in root and "allOf" in limit.value:
        root.become(conjoined([root.without("allOf"), *root["allOf"]]))
        notes.changed(root.pointer, "its allOf is written as one schema", limit)
    for key in ("anyOf", "oneOf"):
        if key in root and key in limit.value:
            branches: list[Part] = root.pop(key)
            _take_over(root, branches)
            root.words.append(f"give {'one' if key == 'oneOf' else 'at least one'} of: {_sets(branches)}")
            notes.changed(
                root.pointer,
                f"its {key} is written as one object, and the description says what belongs together",
                limit,
            )


def _take_over(root: Part, branches: Sequence[Part]) -> None:
    properties: dict[str, Part] = dict(root.get("properties", {}))
    for name in dict.fromkeys(name for branch in branches for name in branch.get("properties", ())):
        if name not in properties:
            variants = [branch["properties"][name] for branch in branches if name in branch.get("properties", ())]
            properties[name] = _one_of_them(variants)
    needed = [name for name in branches[0].get("required", ()) if all(name in b.get("required", ()) for b in branches)]
    root["properties"] = properties
    if needed or "required" in root:
        root["required"] = list(dict.fromkeys([*root.get("required", ()), *needed]))


def _one_of_them(variants: Sequence[Part]) -> Part:
    different = list({key_of(variant): variant for variant in variants}.values())
    first = different[0]
    if len(different) == 1:
        return first.twin()
    if all(variant.keys() <= {"const", "enum", "type", "description", "title"} for variant in different) and all(
        {"const", "enum"} & variant.keys() for variant in different
    ):
        values = [value for variant in different for value in variant.get("enum", [variant.get("const")])]
        types = unique(type_of_value(value) for value in values)
        return Part({"type": types[0] if len(types) == 1 else types, "enum": unique(values)}, first.pointer)
    return Part({"anyOf": [variant.twin() for variant in different]}, first.pointer)


def _sets(branches: Sequence[Part]) -> str:
    return " | ".join(_set(branch) or "nothing more" for branch in branches)


def _set(branch: Part) -> str:
    required, properties = branch.get("required", []), branch.get("properties", {})
    optional = [f"{name}?" for name in properties if name not in required]
    return ", ".join([*(_named(name, properties.get(name, {})) for name in required), *optional])


def _named(name: str, schema: Any) -> str:
    return f"{name} = {as_json(schema['const'])}" if "const" in schema else name


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

"""Converts the ways in which JSON Schema writes "or" to the one way that a provider accepts."""

from collections.abc import Sequence
from typing import Any

from toolkit.dialects.changes import Notes
from toolkit.dialects.limits import Limit
from toolkit.dialects.merging import ANNOTATIONS, conjoined, key_of, unique
from toolkit.dialects.parts import Part, walk
from toolkit.schemas.kinds import is_of_type, type_of_value, types_of
from toolkit.schemas.words import as_json

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

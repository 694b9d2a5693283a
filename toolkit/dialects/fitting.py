"""Adapts the parameters of a tool to what a provider accepts, step by step."""

import re
from collections.abc import Mapping
from typing import Any

from toolkit.dialects import schema_references, strictness
from toolkit.dialects.provider_limits import Limit, Limits, Notes
from toolkit.dialects.schema_parts import Part, child, merge_all_of, read_schema, same, unique, walk, write_words
from toolkit.schemas.keywords import as_json, words_for
from toolkit.schemas.places import type_of_value, types_of
from toolkit.schemas.schema import put_in_order

_SILENT = frozenset(
    {"$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "discriminator",
     "title", "readOnly", "writeOnly", "$dynamicRef", "$recursiveRef", "propertyOrdering"}
)  # fmt: skip
_DESCRIBED = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
     "format", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties",
     "maxProperties", "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas", "dependencies",
     "if", "then", "else", "not", "anyOf", "oneOf", "allOf", "enum", "const", "default", "examples", "example",
     "deprecated", "nullable", "contentEncoding", "contentMediaType", "prefixItems", "additionalProperties",
     "unevaluatedItems", "unevaluatedProperties", "additionalItems"}
)  # fmt: skip
LOGIC = frozenset(
    {"not", "if", "then", "else", "allOf", "oneOf", "contains", "propertyNames", "dependentSchemas",
     "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip
UNIONS = frozenset({"anyOf", "oneOf", "allOf"})
_MOST_ROUNDS = 5
_LOOK_AROUND = re.compile(r"(?<!\\)(?:\\\\)*\(\?(?:=|!|<=|<!)")


def fit(schema: Mapping[str, Any], limits: Limits, pointer: str, notes: Notes) -> dict[str, Any]:
    """Return parameters as a provider accepts them.

    Args:
        schema: The JSON Schema of the parameters.
        limits: The limits of the provider.
        pointer: The location of the schema.
        notes: Receives what was changed, and what could not be fixed.
    """
    root = read_schema(schema, pointer, notes)
    if limits.keywords is None:
        adjust(root, limits, notes)
    else:
        narrow(root, limits, notes)
    return root.plain()


def adjust(root: Part, limits: Limits, notes: Notes) -> None:
    """Adapt a schema for a provider that accepts all of JSON Schema except for a few limits."""
    if limits.references:
        schema_references.settle(root, notes, limits.references)
        schema_references.inline(root, notes, limits.references)
    if limits.root and limits.root.value & root.keys():
        schema_references.settle(root, notes, limits.root)
        make_one_object(root, limits.root, notes)
        write_words(root)
    if limits.closed:
        strictness.close_objects(root, notes, limits.closed)
    if limits.items_wanted:
        strictness.give_items(root, notes, limits.items_wanted)


def narrow(root: Part, limits: Limits, notes: Notes) -> None:
    """Reduce a schema to the part of JSON Schema that a provider accepts; the rest goes into descriptions."""
    keywords = _stated(limits.keywords)
    settle_references(root, limits, notes)
    make_one_object(root, limits.root or keywords._replace(value=UNIONS), notes)
    if "allOf" not in keywords.value:
        merge_all_of(root, notes, keywords)
    close_tuples(root)
    if "prefixItems" not in keywords.value:
        widen_tuples(root, notes, keywords)
    if "oneOf" not in keywords.value:
        strictness.use_any_of(root, notes, keywords)
    strictness.distribute(root, notes, keywords)
    for part in walk(root):  # before further changes, so that descriptions show what the author wrote
        _describe_unsupported(part, LOGIC - keywords.value, notes, keywords)
    _make_strict(root, limits, notes)
    for part in walk(root):
        fold(part, limits, notes)
        if "$ref" in part and len(part) > 1 and part is not root:
            rest = {key: value for key, value in part.items() if key != "$ref"}
            part.become(rest | {"anyOf": [Part({"$ref": part["$ref"]}, part.pointer)]})
        put_in_order(part)


def settle_references(root: Part, limits: Limits, notes: Notes) -> None:
    """Keep references only where a provider accepts them; recursive definitions are still referred to."""
    limit = _stated(limits.references)
    schema_references.settle(root, notes, limit)
    if limits.recursion and limits.recursion.value == "never":
        for name in sorted(schema_references.recursive_names(root)):
            notes.object_to(schema_references.refers_to_itself(root, name, limits.recursion))
    if limit.value == "none":
        schema_references.inline(root, notes, limit)
        return
    below_all_of = {id(inner) for part in walk(root) for inner in part.get("allOf", ())}
    schema_references.inline(root, notes, limit, lambda part: part is root or len(part) > 1 or id(part) in below_all_of)


def make_one_object(root: Part, limit: Limit[frozenset[str]], notes: Notes) -> None:
    """Write a root that is a union, or a reference, as one object; the rest goes into the description."""
    for _ in range(_MOST_ROUNDS):
        schema_references.write_out(root, root, notes, limit)
        for branch in [one for key in UNIONS & limit.value for one in root.get(key, ())]:
            schema_references.write_out(branch, root, notes, limit)
        strictness.flatten_root(root, notes, limit)
    root.pop("$ref", None)
    _describe_unsupported(root, limit.value, notes, limit)
    root["type"] = "object"
    schema_references.drop_unused(root)


def _make_strict(root: Part, limits: Limits, notes: Notes) -> None:
    strictness.declare_required(root, notes, _stated(limits.keywords))
    if limits.items_wanted:
        strictness.give_items(root, notes, limits.items_wanted)
    if limits.types_wanted:
        strictness.give_types(root, notes, limits.types_wanted)
    if limits.one_type:
        strictness.split_types(root, notes, limits.one_type)
    if limits.closed:
        strictness.close_objects(root, notes, limits.closed)
    if limits.all_required:
        strictness.require_all(root, notes, limits.all_required)


def close_tuples(root: Part) -> None:
    """Use `maxItems` to forbid items after the positions of a tuple."""
    for part in walk(root):
        if "additionalItems" in part and "prefixItems" in part:  # the form before draft 2020-12
            rest = part.pop("additionalItems")
            part["items"] = Part({"not": Part()}, part.pointer) if rest is False else Part(pointer=part.pointer)
        if same(part.get("items"), {"not": {}}):
            del part["items"]
            positions = len(part.get("prefixItems", ()))
            part["maxItems"] = min(positions, part.get("maxItems", positions))


def widen_tuples(root: Part, notes: Notes, limit: Limit[Any]) -> None:
    """Write a tuple as a list of the same length, whose items may match any of its positions."""
    for part in walk(root):
        if "prefixItems" not in part:
            continue
        positions: list[Part] = part.pop("prefixItems")
        rest = part.get("items")
        choices = unique([*positions, *([rest] if isinstance(rest, Part) else [])])
        part["items"] = choices[0] if len(choices) == 1 else Part({"anyOf": choices}, part.pointer)
        part.words.append(f"in this order: {', '.join(_short(position) for position in positions)}")
        notes.changed(part.pointer, "a tuple is written as a list", limit)


def _short(part: Part) -> str:
    return " or ".join(types_of(part)) or as_json(part)


def fold(part: Part, limits: Limits, notes: Notes) -> None:
    """Describe in words what the provider has no keyword for."""
    keywords = _stated(limits.keywords)
    _fold_values(part, limits, notes)
    if limits.formats and "format" in part and part["format"] not in limits.formats.value:
        _describe(part, "format", notes, limits.formats)
    if limits.look_around and _LOOK_AROUND.search(part.get("pattern", "")):
        _describe(part, "pattern", notes, limits.look_around)
    if limits.min_items and part.get("minItems", 0) not in limits.min_items.value:
        lowest = max(limits.min_items.value)
        _describe(part, "minItems", notes, limits.min_items)
        part["minItems"] = lowest
    _describe_unsupported(part, part.keys() - keywords.value, notes, keywords)
    write_words(part)


def _fold_values(part: Part, limits: Limits, notes: Notes) -> None:
    """Write a constant as an enum if there are no constants, and describe values that an enum cannot contain."""
    keywords, kinds = _stated(limits.keywords), limits.enum_types
    if "const" in part and "const" not in keywords.value and "enum" in keywords.value:
        part["enum"] = [part.pop("const")]
        notes.changed(child(part.pointer, "const"), "a constant is written as an enum", keywords)
    if kinds and not all(_may_be_listed(value, kinds.value) for value in part.get("enum", ())):
        _describe(part, "enum", notes, kinds)
    if kinds and "const" in part and not _may_be_listed(part["const"], kinds.value):
        _describe(part, "const", notes, kinds)


def _may_be_listed(value: Any, kinds: frozenset[str]) -> bool:
    return type_of_value(value) in kinds and (value != "" or "null" in kinds)


def _describe_unsupported(part: Part, keys: Any, notes: Notes, limit: Limit[Any]) -> None:
    for key in [key for key in part if key in keys]:
        if key == "title" and _adds_information(part):
            part["description"] = part["title"]
        if key in _DESCRIBED and not (key.endswith("Properties") and isinstance(part[key], bool)):
            _describe(part, key, notes, limit)
        else:
            del part[key]
            if key not in _SILENT:
                notes.changed(child(part.pointer, key), "left out", limit)


def _adds_information(part: Part) -> bool:
    """Return whether a title says more than the name, and there is no description."""
    name = part.pointer.rpartition("/")[2]
    bare = [re.sub(r"[\W_]+", "", text).lower() for text in (part["title"], name)]
    return "description" not in part and bare[0] != bare[1]


def _describe(part: Part, key: str, notes: Notes, limit: Limit[Any]) -> None:
    words = words_for(key, part.pop(key))
    part.words.append(words)
    what = f"moved to the description: {words}" if words else "left out"
    notes.changed(child(part.pointer, key), what, limit)


def _stated(limit: Limit[Any] | None) -> Limit[Any]:
    if limit is None:
        raise LookupError("this provider does not set this limit")
    return limit

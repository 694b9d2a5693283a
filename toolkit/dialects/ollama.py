"""Ollama, which only passes on the types, items, descriptions and enums of parameters."""

from collections.abc import Mapping
from typing import Any

from toolkit.dialects import strictness
from toolkit.dialects.declarations import CHECKED, Dialect, Draft
from toolkit.dialects.fitting import UNIONS, close_tuples, fold, make_one_object, settle_references, widen_tuples
from toolkit.dialects.openai import CHAT
from toolkit.dialects.provider_limits import Limit, Limits, Notes, Source
from toolkit.dialects.schema_parts import ANNOTATIONS, Part, child, merge_all_of, read_schema, unique, write_words
from toolkit.schemas.keywords import as_json
from toolkit.schemas.places import types_of
from toolkit.schemas.schema import put_in_order

_SOURCE = Source("ollama 0.6.3, _types.py: Tool", CHECKED)

_LIMITS = Limits(
    title="Ollama",
    keywords=Limit(
        frozenset({"type", "items", "description", "enum"}),
        "only the type, items, description and enum of a parameter arrive",
        _SOURCE,
    ),
    references=Limit("none", "a parameter that is a $ref arrives without its type", _SOURCE),
    recursion=Limit("never", "a schema cannot refer to itself", _SOURCE),
)
_ROOT = ("type", "properties", "required", "$defs", "description")


def parameters_for_ollama(schema: Mapping[str, Any], pointer: str, notes: Notes) -> dict[str, Any]:
    """Return parameters whose descriptions contain what would otherwise be lost."""
    limit = _LIMITS.stated()["keywords"]
    root = read_schema(schema, pointer, notes)
    settle_references(root, _LIMITS, notes)
    make_one_object(root, limit._replace(value=UNIONS), notes)
    merge_all_of(root, notes, limit)
    close_tuples(root)
    widen_tuples(root, notes, limit)
    strictness.use_any_of(root, notes, limit)
    for part in root.get("properties", {}).values():
        _flatten(part, notes)
        fold(part, _LIMITS, notes)
        put_in_order(part)
    write_words(root)
    for key in [key for key in root if key not in _ROOT]:
        del root[key]
        notes.changed(child(pointer, key), "left out", limit)
    return root.plain()


def _flatten(part: Part, notes: Notes) -> None:
    """Write a union as a list of types, and describe the members of an object in words."""
    limit = _LIMITS.stated()["keywords"]
    if "$ref" in part:
        notes.changed(child(part.pointer, "$ref"), "left out: it refers to itself", limit)
        part.pop("$ref")
        part.setdefault("type", "object")
    if "anyOf" in part and "type" not in part:
        types = unique(name for branch in part["anyOf"] for name in types_of(branch))
        if types:
            part["type"] = types[0] if len(types) == 1 else types
        _describe_branches(part, notes)
    if part.get("properties"):
        members = {key: part.pop(key) for key in ("properties", "required") if key in part}
        plain = Part(members).plain()
        part.words.append(f"an object with {as_json(plain)}")
        notes.changed(child(part.pointer, "properties"), "moved to the description: its members", limit)


def _describe_branches(part: Part, notes: Notes) -> None:
    """Drop branches that only have a type; the content of others is kept for the description."""
    branches: list[Part] = part["anyOf"]
    if all(branch.keys() <= {"type", *ANNOTATIONS} for branch in branches):
        del part["anyOf"]
        part.words += (str(branch["description"]) for branch in branches if "description" in branch)
        notes.changed(child(part.pointer, "anyOf"), "expressed by a list of types", _LIMITS.stated()["keywords"])
        return
    whole = [branch for branch in branches if branch.get("type") != "null"]
    if len(whole) == 1 and not whole[0].keys() & part.keys() - {"type"}:
        del part["anyOf"]
        part.update({key: value for key, value in whole[0].items() if key != "type"})
        notes.changed(child(part.pointer, "anyOf"), "expressed by a list of types", _LIMITS.stated()["keywords"])


def _write(draft: Draft) -> dict[str, Any]:
    parameters = parameters_for_ollama(draft.spec.parameters, "/parameters", draft.notes)
    return {"type": "function", "function": draft.described | {"parameters": parameters}}


DIALECTS = (Dialect(name="ollama", provider="ollama", write=_write, limits=_LIMITS, forms=(CHAT,), lists=("tools",)),)

"""Gemini: parameters in a subset of OpenAPI 3.0 or, if that is not enough, of JSON Schema."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from toolkit.codes import RECURSIVE_SCHEMA
from toolkit.dialects import schema_references
from toolkit.dialects.declarations import CHECKED, Dialect, Draft, Form
from toolkit.dialects.fitting import LOGIC, UNIONS, close_tuples, narrow
from toolkit.dialects.provider_limits import Limit, Limits, Notes, Source, refusal
from toolkit.dialects.schema_parts import ANNOTATIONS, Part, child, inner_parts, read_schema, walk
from toolkit.schemas.keywords import TYPES
from toolkit.schemas.places import types_of
from toolkit.schemas.schema import Schema, put_in_order

_TYPES = Source("google-genai 3.4.0, types.py: FunctionDeclaration, Schema", CHECKED)
_JSON = Source("google-genai 3.4.0, types.py: response_json_schema", CHECKED)
_TOOLS = Source("google-genai 3.4.0, types.py: Tool.function_declarations", CHECKED)
_ENUM = Source("https://github.com/decolua/9router/pull/380", CHECKED)
_FORMAT = Source("pydantic-ai 2.68.0, profiles/google.py", CHECKED)

_OPEN_API = Limits(
    title="Gemini",
    name=Limit(
        r"[a-zA-Z_][a-zA-Z0-9_.:-]*",
        "a name starts with a letter or underscore, then letters, digits, and _ . : -",
        _TYPES,
    ),
    name_length=Limit(128, "a name has at most 128 characters", _TYPES),
    name_length_sure=Limit(64, "older versions accept at most 64 characters", _TYPES),
    parameter_name=Limit(
        r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        "a parameter's name starts with a letter or underscore, then letters, digits and underscores, at most 64",
        _TYPES,
    ),
    tools=Limit(512, "a request has at most 512 function declarations", _TOOLS),
    keywords=Limit(
        frozenset(
            {"type", "description", "nullable", "properties", "required", "items", "enum", "anyOf", "minimum",
             "maximum", "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "pattern",
             "propertyOrdering"}
        ),
        "parameters are a subset of OpenAPI 3.0",
        _TYPES,
    ),
    formats=Limit(frozenset(), "most formats are refused", _FORMAT),
    items_wanted=Limit(True, "an array must describe its items", _TYPES),
    types_wanted=Limit(True, "every value needs a type", _TYPES),
    one_type=Limit(True, "type is one name; null is written as nullable", _TYPES),
    enum_types=Limit(frozenset({"string"}), "enum values are strings", _ENUM),
    references=Limit("none", "parameters have no $ref", _TYPES),
    recursion=Limit("optional", "a schema may refer to itself only in optional properties", _JSON),
)  # fmt: skip

_AS_JSON_SCHEMA = _OPEN_API._replace(
    title="Gemini, parametersJsonSchema",
    base="gemini",
    keywords=Limit(
        frozenset(
            {"type", "description", "properties", "required", "additionalProperties", "items", "prefixItems", "enum",
             "anyOf", "oneOf", "minimum", "maximum", "minItems", "maxItems", "propertyOrdering", "$ref", "$defs"}
        ),
        "parametersJsonSchema supports a subset of JSON Schema",
        _JSON,
    ),
    types_wanted=None,
    one_type=None,
    enum_types=Limit(frozenset({"string", "integer", "number"}), "enum values are strings or numbers", _JSON),
    references=Limit("alone", "a $ref cannot have other keywords next to it", _JSON),
)  # fmt: skip


def parameters_for_gemini(schema: Mapping[str, Any], pointer: str, notes: Notes) -> dict[str, Any]:
    """Return the members of a function declaration that describe its parameters; empty for a tool without any.

    The parameters are in `parameters`. Only `parametersJsonSchema` supports recursive schemas, values of any type, and
    objects with arbitrary members, so it is used instead if there are any.
    """
    root = read_schema(schema, pointer, notes)
    bound_integers(root)
    if not root.get("properties") and not root.keys() & {"anyOf", "oneOf", "allOf", "$ref"}:
        return {}
    reason = _beyond_open_api(root)
    if reason:
        notes.changed(pointer, f"sent as parametersJsonSchema: {reason}", _stated(_OPEN_API, "keywords"))
        narrow(root, _AS_JSON_SCHEMA, notes)
        _object_to_recursion(root, notes)
        return {"parametersJsonSchema": root.plain()}
    narrow(root, _OPEN_API, notes)
    _use_nullable(root, notes)
    return {"parameters": root.plain()}


def bound_integers(root: Part) -> None:
    """Write exclusive bounds of integers as inclusive ones: more than 0 is at least 1."""
    for part in walk(root):
        for strict, bound, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
            value = part.get(strict)
            if types_of(part) == ("integer",) and value is not None and value == int(value) and bound not in part:
                part[bound] = int(part.pop(strict)) + step


def _beyond_open_api(root: Part) -> str:
    """Return why a schema cannot be written in OpenAPI; an empty string if it can."""
    settled = root.twin()
    schema_references.settle(settled, Notes(), _stated(_OPEN_API, "references"))
    if schema_references.recursive_names(settled):
        return "it refers to itself"
    close_tuples(settled)
    for part in walk(settled):
        part.become({key: value for key, value in part.items() if key not in LOGIC - UNIONS})
    inner = [part for part in walk(settled) if part is not settled]
    if any(_is_open(part) for part in inner):
        return "it has arbitrary members"
    return "it has members of any type" if any(_is_anything(part) for part in inner) else ""


def _is_anything(part: Part) -> bool:
    lacks_items = "array" in types_of(part) and not {"items", "prefixItems"} & part.keys()
    return lacks_items or part.keys() <= ANNOTATIONS


def _is_open(part: Part) -> bool:
    more = part.get("additionalProperties")
    if isinstance(more, Part) or "patternProperties" in part:
        return True
    is_whole = not part.keys() & {"properties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"}
    return "object" in types_of(part) and is_whole and more is not False


def _use_nullable(root: Part, notes: Notes) -> None:
    """Express null by `nullable`, first in outer unions, because their branches become the inner ones."""
    limit = _stated(_OPEN_API, "one_type")
    for part in walk(root):
        branches: list[Part] = part.get("anyOf", [])
        kept = [branch for branch in branches if branch.get("type") != "null"]
        if len(kept) < len(branches):
            part.become({**part, "anyOf": kept, "nullable": True} if kept else _null(part))
            notes.changed(part.pointer, "null is written as nullable", limit)
        elif part.get("type") == "null":
            part.become(_null(part))
            notes.changed(part.pointer, "null is written as nullable", limit)
    for part in reversed(list(walk(root))):
        branches = part.get("anyOf", [])
        if len(branches) == 1:
            annotations = {key: value for key, value in part.items() if key in {*ANNOTATIONS, "nullable"}}
            part.become({**branches[0], **annotations})
        elif sum(branch.pop("nullable", False) for branch in branches):
            part["nullable"] = True
        put_in_order(part)


def _null(part: Part) -> dict[str, Any]:
    return {"type": "string", "nullable": True, "description": part.get("description", "always null")}


def _object_to_recursion(root: Part, notes: Notes) -> None:
    """Object to definitions that require themselves."""
    limit = _stated(_AS_JSON_SCHEMA, "recursion")
    for name in sorted(schema_references.recursive_names(root, _needed)):
        message = f"the definition {name!r} requires itself"
        if name == schema_references.ROOT:
            message = "the parameters require themselves"
        hint = "make the recursive property optional"
        notes.object_to(refusal(RECURSIVE_SCHEMA, child(root.pointer, "$defs", name), message, limit, hint=hint))


def _needed(part: Part) -> Iterator[Part]:
    """Yield a part and those inside it, except for those in optional properties."""
    yield part
    optional = [one for name, one in part.get("properties", {}).items() if name not in part.get("required", ())]
    skipped = {id(one) for one in optional}
    for inner in inner_parts(part):
        if id(inner) not in skipped:
            yield from _needed(inner)


def _stated(limits: Limits, name: str) -> Any:
    return limits.stated()[name]


def _write(draft: Draft) -> dict[str, Any]:
    return draft.described | parameters_for_gemini(draft.spec.parameters, "/parameters", draft.notes)


def _with_lower_types(schema: dict[str, Any]) -> dict[str, Any]:
    """Change the types of a schema to lower case; they are accepted in upper case, too, such as `OBJECT`."""
    schema = deepcopy(schema)
    for part in Schema.of(schema).parts():
        kind = part.keywords.get("type")
        if isinstance(kind, str) and isinstance(part.node, dict) and kind.lower() in TYPES:
            part.node["type"] = kind.lower()
    return schema


def _gather(definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"functionDeclarations": definitions}] if definitions else []


_LISTS = ("functionDeclarations", "function_declarations")
_JSON_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")
_HOSTED = (
    "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "computerUse", "fileSearch", "googleMaps",
    "enterpriseWebSearch", "retrieval", "mcpServers",
)  # fmt: skip

DIALECTS = (
    Dialect(
        name="gemini",
        provider="gemini",
        write=_write,
        limits=_OPEN_API,
        more_limits={"gemini-json-schema": _AS_JSON_SCHEMA},
        forms=(
            *(Form("gemini", f"/{key}", "", (f"/{key}",)) for key in _JSON_SCHEMA),
            Form("gemini", "", "", ("/parameters",), lists=_LISTS, read=_with_lower_types),
        ),
        lists=("tools", *_LISTS),
        hosted=frozenset(_HOSTED) | {re.sub("([A-Z])", r"_\1", key).lower() for key in _HOSTED},
        gather=_gather,
    ),
)

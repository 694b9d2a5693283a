"""Converts JSON Schemas to shapes, for tools with a handwritten schema: arguments are validated against that schema.

Supported are types, properties, enumerations, bounds, lengths, patterns, items, unions, conjunctions and references
within the schema. Other keywords (`not`, `if`, `dependentSchemas`, `format`) are not checked.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_core import PydanticCustomError, SchemaError, SchemaValidator, core_schema

from toolkit.schemas.faults import pattern_fault
from toolkit.schemas.keywords import DEFINITIONS
from toolkit.schemas.places import reference_in
from toolkit.schemas.schema import Schema
from toolkit.tools.shapes.shape_values import Shape

_Core = Any
_ANY = Schema.of(True)
_EXCEPTION_NAME = re.compile(r"^\w*[Ee]rror: ")  # the exception for an invalid pattern differs between Python versions
_NUMERIC = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}


def shape_of_schema(schema: Mapping[str, Any], *, foreign: bool = False) -> Shape:
    """Return the shape that a JSON Schema of type `object` describes; unknown members at the top are ignored.

    Args:
        schema: The schema.
        foreign: Whether the schema is not trusted, since its patterns could take exponential time: patterns are then
            matched in linear time, and those that do not support this are not checked.

    Raises:
        ValueError: If the schema is not supported, for example because a pattern or a reference is not valid.
    """
    if foreign and (fault := pattern_fault(schema)):
        raise ValueError(f"the schema cannot be checked: {fault}")
    whole = Schema.of({**schema, "additionalProperties": schema.get("additionalProperties") or None})
    try:
        defined = [whole.at(room, name) for room in DEFINITIONS for name in whole.keywords.get(room, ())]
        targets = {_name_of(one): one for one in [*defined, *(to for part in whole.reached() for to in part.targets())]}
        core = core_schema.definitions_schema(
            _core(whole, extra="ignore"),
            [{**_core(target), "ref": name} for name, target in targets.items()],
        )
        shape = Shape(dict(schema), lambda: _in_linear_time(core) if foreign else core)
        shape.validate_data  # noqa: B018 - build the validator now, so that errors in the schema are raised here
    except (SchemaError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = _EXCEPTION_NAME.sub("", str(error).splitlines()[-1].strip())
        raise ValueError(f"the schema cannot be checked: {reason}") from error
    return shape


def _in_linear_time(core: _Core) -> _Core:
    """Return a pydantic-core schema in which every pattern is matched in linear time."""
    if isinstance(core, list):
        return [_in_linear_time(part) for part in core]
    if not isinstance(core, dict):
        return core
    match core:
        case {"type": "str", "pattern": str() as pattern}:
            linear = {**core, "regex_engine": "rust-regex"}
            return linear if _is_linear(pattern) else {key: value for key, value in core.items() if key != "pattern"}
        case {"type": "literal"}:
            return core
    return {key: _in_linear_time(part) for key, part in core.items()}


def _is_linear(pattern: str) -> bool:
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return False
    return True


def _name_of(target: Schema) -> str:
    return "#" + "".join("/" + str(step).replace("/", "~1") for step in target.pointer)


def _core(schema: Schema, *, extra: str = "allow") -> _Core:
    """Return the pydantic-core schema for a JSON Schema, as a chain of its conditions."""
    if schema.node is True:
        return core_schema.any_schema()
    if schema.node is False:
        return core_schema.no_info_plain_validator_function(_refuse)
    if not isinstance(schema.node, Mapping):
        raise TypeError(f"a schema is an object, true or false, not {schema.node!r}")
    for keyword in ("enum", "required"):
        if isinstance(schema.node.get(keyword), str):  # would be read as a list of letters
            raise TypeError(f"{keyword!r} must be a list, not {schema.node[keyword]!r}")
    demands = [demand for demand in (_by_value(schema.node), _by_type(schema, extra), *_by_logic(schema)) if demand]
    if not demands:
        return core_schema.any_schema()
    return demands[0] if len(demands) == 1 else core_schema.chain_schema(demands)


def _refuse(_: Any) -> Any:
    kind = "forbidden"
    raise PydanticCustomError(kind, "must be omitted")


def _by_value(schema: Mapping[str, Any]) -> _Core | None:
    if "const" in schema:
        return core_schema.literal_schema([schema["const"]])
    return core_schema.literal_schema(list(schema["enum"])) if "enum" in schema else None


def _by_logic(schema: Schema) -> list[_Core]:
    demands = [_core(part) for part in _listed(schema, "allOf")]
    unions = [_listed(schema, key) for key in ("anyOf", "oneOf") if key in schema.keywords]
    demands += (core_schema.union_schema([_core(part) for part in parts]) for parts in unions)
    if (reference := reference_in(schema.node)) is not None:
        targets = schema.targets()
        if not targets:
            raise ValueError(f"the schema cannot be checked: it does not define {reference!r}")
        demands.append(core_schema.definition_reference_schema(_name_of(targets[0])))
    return demands


def _listed(schema: Schema, key: str) -> list[Schema]:
    return [schema.at(key, index) for index in range(len(schema.keywords.get(key, ())))]


def _by_type(schema: Schema, extra: str) -> _Core | None:
    kind = schema.keywords.get("type")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return core_schema.union_schema([_of_type(one, schema, extra) for one in kind])
    if kind is None and "properties" in schema.keywords:
        kind = "object"
    return None if kind is None else _of_type(kind, schema, extra)


def _of_type(kind: str, part: Schema, extra: str) -> _Core:
    schema = part.keywords
    match kind:
        case "string":
            return core_schema.str_schema(
                min_length=_count(schema, "minLength"),
                max_length=_count(schema, "maxLength"),
                pattern=schema.get("pattern"),
                regex_engine="python-re",
                coerce_numbers_to_str=True,
            )
        case "integer":
            bounds: Any = {ours: schema[theirs] for theirs, ours in _NUMERIC.items() if theirs in schema}
            return core_schema.int_schema(**bounds)
        case "number":
            return _number(schema)
        case "boolean":
            return core_schema.bool_schema(strict=True)
        case "null":
            return core_schema.none_schema()
        case "array":
            is_plain = "items" in schema and "prefixItems" not in schema and not isinstance(schema["items"], list)
            items = _core(part.at("items")) if is_plain else None  # `prefixItems` is not checked
            least, most = _count(schema, "minItems"), _count(schema, "maxItems")
            return core_schema.list_schema(items, min_length=least, max_length=most)
        case "object":
            return _object(part, extra)
    raise TypeError(f"unknown type {kind!r}")


def _count(schema: Mapping[str, Any], keyword: str) -> Any:
    """Return the value of a keyword as an integer; JSON Schema also allows `3.0` for 3."""
    count = schema.get(keyword)
    return int(count) if isinstance(count, float) and count.is_integer() else count


def _number(schema: Mapping[str, Any]) -> _Core:
    """Return the schema for a number; an integer stays an integer."""
    bounds: Any = {ours: schema[theirs] for theirs, ours in _NUMERIC.items() if theirs in schema}
    return core_schema.no_info_wrap_validator_function(_unchanged, core_schema.float_schema(**bounds))


def _unchanged(value: Any, validate: Callable[[Any], Any]) -> Any:
    checked = validate(value)
    return value if isinstance(value, int) else checked


def _object(part: Schema, extra: str) -> _Core:
    schema = part.keywords
    required, described = dict.fromkeys(schema.get("required", ())), dict(schema.get("properties", {}))
    more = schema.get("additionalProperties")
    if not required and not described and isinstance(more, Mapping):
        return core_schema.dict_schema(core_schema.str_schema(), _core(part.at("additionalProperties")))
    members = {name: part.at("properties", name) if name in described else _ANY for name in {**required, **described}}
    fields = {
        name: core_schema.typed_dict_field(_core(member), required=name in required) for name, member in members.items()
    }
    behavior: Any = "forbid" if more is False else "allow" if more else extra
    extras = _core(part.at("additionalProperties")) if isinstance(more, Mapping) else None
    return core_schema.typed_dict_schema(fields, extra_behavior=behavior, extras_schema=extras)

"""Shapes from JSON Schemas, for tools made by hand: arguments are held against the very schema that a model sees.

Covered is what tool schemas are made of: types, properties, enumerations, bounds, lengths, patterns, items, unions,
conjunctions and references inside the schema. What else a schema says (`not`, `if`, `dependentSchemas`, `format`) binds
whoever writes the arguments, and is not checked here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_core import PydanticCustomError, SchemaError, SchemaValidator, core_schema

from toolkit.tools.shapes.values import Shape

_Core = Any
_EXCEPTION_NAME = re.compile(r"^\w*[Ee]rror: ")  # Python's word for a bad pattern, which each release may change
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
        foreign: Whether a stranger wrote it, whose patterns might never be done with a text: they are searched for in
            linear time then, and what cannot be searched for so is not checked here.

    Raises:
        ValueError: If it is no schema that can be checked, such as one with a broken pattern or reference.
    """
    closed = {**schema, "additionalProperties": schema.get("additionalProperties") or None}
    try:
        definitions = {
            f"#/{room}/{name}": part for room in ("$defs", "definitions") for name, part in schema.get(room, {}).items()
        }
        core = core_schema.definitions_schema(
            _core(closed, extra="ignore"),
            [{**_core(part), "ref": reference} for reference, part in definitions.items()],
        )
        shape = Shape(dict(schema), lambda: _in_linear_time(core) if foreign else core)
        shape.validate_data  # noqa: B018 - made at once, since only making it tells whether it can be made
    except (SchemaError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = _EXCEPTION_NAME.sub("", str(error).splitlines()[-1].strip())
        raise ValueError(f"the schema cannot be checked: {reason}") from error
    return shape


def _in_linear_time(core: _Core) -> _Core:
    """Return a pydantic-core schema in which every pattern takes time in proportion to the text."""
    if isinstance(core, list):
        return [_in_linear_time(part) for part in core]
    if not isinstance(core, dict):
        return core
    match core:
        case {"type": "str", "pattern": str() as pattern}:
            linear = {**core, "regex_engine": "rust-regex"}
            return linear if _is_linear(pattern) else {key: said for key, said in core.items() if key != "pattern"}
        case {"type": "literal"}:
            return core
    return {key: _in_linear_time(part) for key, part in core.items()}


def _is_linear(pattern: str) -> bool:
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return False
    return True


def _core(schema: Any, *, extra: str = "allow") -> _Core:
    """Return the pydantic-core schema for a JSON Schema: everything that it says must hold, one after the other."""
    if schema is True:
        return core_schema.any_schema()
    if schema is False:
        return core_schema.no_info_plain_validator_function(_refuse)
    if not isinstance(schema, Mapping):
        message = f"a schema is an object, true or false, not {schema!r}"
        raise TypeError(message)
    demands = [demand for demand in (_by_value(schema), _by_type(schema, extra), *_by_logic(schema)) if demand]
    if not demands:
        return core_schema.any_schema()
    return demands[0] if len(demands) == 1 else core_schema.chain_schema(demands)


def _refuse(_: Any) -> Any:
    kind = "forbidden"
    message = "must not be there"
    raise PydanticCustomError(kind, message)


def _by_value(schema: Mapping[str, Any]) -> _Core | None:
    if "const" in schema:
        return core_schema.literal_schema([schema["const"]])
    return core_schema.literal_schema(list(schema["enum"])) if "enum" in schema else None


def _by_logic(schema: Mapping[str, Any]) -> list[_Core]:
    demands = [_core(part) for part in schema.get("allOf", ())]
    unions = (schema[key] for key in ("anyOf", "oneOf") if key in schema)
    demands += (core_schema.union_schema([_core(part) for part in parts]) for parts in unions)
    if "$ref" in schema:
        demands.append(core_schema.definition_reference_schema(schema["$ref"]))
    return demands


def _by_type(schema: Mapping[str, Any], extra: str) -> _Core | None:
    kind = schema.get("type")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return core_schema.union_schema([_of_type(one, schema, extra) for one in kind])
    if kind is None and "properties" in schema:
        kind = "object"
    return None if kind is None else _of_type(kind, schema, extra)


def _of_type(kind: str, schema: Mapping[str, Any], extra: str) -> _Core:
    match kind:
        case "string":
            return core_schema.str_schema(
                min_length=schema.get("minLength"),
                max_length=schema.get("maxLength"),
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
            items = _core(schema["items"]) if "items" in schema else None
            return core_schema.list_schema(items, min_length=schema.get("minItems"), max_length=schema.get("maxItems"))
        case "object":
            return _object(schema, extra)
    message = f"unknown type {kind!r}"
    raise TypeError(message)


def _number(schema: Mapping[str, Any]) -> _Core:
    """Return the schema for a number that stays what it is: a whole one does not become a float."""
    bounds: Any = {ours: schema[theirs] for theirs, ours in _NUMERIC.items() if theirs in schema}
    return core_schema.no_info_wrap_validator_function(_unchanged, core_schema.float_schema(**bounds))


def _unchanged(value: Any, validate: Callable[[Any], Any]) -> Any:
    checked = validate(value)
    return value if isinstance(value, int) else checked


def _object(schema: Mapping[str, Any], extra: str) -> _Core:
    required = set(schema.get("required", ()))
    properties: dict[str, Any] = dict.fromkeys(schema.get("required", ()), True) | dict(schema.get("properties", {}))
    more = schema.get("additionalProperties")
    if not properties and isinstance(more, Mapping):
        return core_schema.dict_schema(core_schema.str_schema(), _core(more))
    fields = {
        name: core_schema.typed_dict_field(_core(part), required=name in required) for name, part in properties.items()
    }
    behavior: Any = "forbid" if more is False else "allow" if more else extra
    extras = _core(more) if isinstance(more, Mapping) else None
    return core_schema.typed_dict_schema(fields, extra_behavior=behavior, extras_schema=extras)

"""JSON Schema in words: the type of a parameter, and what else it must be."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


class Parameter(NamedTuple):
    """A parameter as it is shown; `default` is JSON text, empty where there is none."""

    name: str
    type: str
    required: bool
    default: str
    constraints: tuple[str, ...]
    description: str


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters that the schema of a tool describes, in their order."""
    required = schema.get("required", ())
    return [_parameter(name, part, schema, name in required) for name, part in schema.get("properties", {}).items()]


def type_of(schema: Any, root: Mapping[str, Any] | None = None) -> str:
    """Return the type that a schema describes, in a few words, such as `list of integer` or `"a" | "b"`."""
    root = root if root is not None else schema if isinstance(schema, Mapping) else {}
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"const": value}:
            return _json(value)
        case {"enum": [*values]}:
            return " | ".join(map(_json, values))
        case {"anyOf": [*choices]} | {"oneOf": [*choices]}:
            return " | ".join(dict.fromkeys(type_of(choice, root) for choice in choices))
        case {"allOf": [only]}:
            return type_of(only, root)
        case {"type": [*names]}:
            return " | ".join(map(str, names))
        case {"type": "array", "prefixItems": [*parts]}:
            return f"({', '.join(type_of(part, root) for part in parts)})"
        case {"type": "array", "items": items}:
            return f"list of {type_of(items, root)}"
        case {"type": "array"}:
            return "list"
        case {"type": "object", "additionalProperties": {**values}} if "properties" not in schema:
            return f"object of {type_of(values, root)}" if values else "object"
        case {"type": "string", "format": str(name)}:
            return name
        case {"type": str(name)}:
            return name
    return "anything"


def _parameter(name: str, schema: Any, root: Mapping[str, Any], required: bool) -> Parameter:  # noqa: FBT001
    part: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    default = _json(part["default"]) if "default" in part else ""
    description = str(part.get("description", ""))
    return Parameter(name, type_of(part, root), required, default, tuple(_constraints(part)), description)


def _constraints(schema: Mapping[str, Any]) -> list[str]:
    said = [words.format(schema[key]) for key, words in _BOUNDS.items() if key in schema]
    for choice in schema.get("anyOf", ()):
        said += _constraints(choice) if isinstance(choice, Mapping) else []
    if schema.get("uniqueItems"):
        said.append("no item twice")
    return said


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

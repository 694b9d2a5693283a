"""JSON Schema in words: the type of a parameter, and what else it must be."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.schemas.schema import Schema
from toolkit.schemas.words import as_json, words_for

_BOUNDS = (
    "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "minItems", "maxItems",
)  # fmt: skip
_SHOWN = 3
"""How many levels of fields are shown below the parameters; whoever wants more reads the schema."""


class Parameter(NamedTuple):
    """A parameter, or a field inside one (`items[].price`), as it is shown; `default` is JSON text, or empty."""

    name: str
    type: str
    required: bool
    default: str
    constraints: tuple[str, ...]
    description: str


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters that the schema of a tool describes, each with the fields inside it, in their order."""
    return list(_walk(Schema.of(schema), "", _SHOWN))


def _walk(schema: Schema, prefix: str, depth: int) -> Iterator[Parameter]:
    required = schema.keywords.get("required", ())
    for name, part in schema.keywords.get("properties", {}).items():
        yield _parameter(f"{prefix}{name}", part, is_required=name in required)
        inner, sign = _fields_of(schema.at("properties", name))
        if inner is not None and depth:
            yield from _walk(inner, f"{prefix}{name}{sign}", depth - 1)


def _fields_of(schema: Schema) -> tuple[Schema | None, str]:
    """Return the schema of the object that a parameter is, or is a list of, and how its fields are addressed."""
    sign, seen, found = "", set(), schema.resolved()
    while found is not None and found.pointer not in seen:
        seen.add(found.pointer)
        if found.keywords.get("properties"):
            return found, f"{sign}."
        is_list = found.keywords.get("type") == "array"
        sign, found = f"{sign}[]", found.at("items").resolved() if is_list else None
    return None, ""


def type_of(schema: Any) -> str:
    """Return the type that a schema describes, in a few words, such as `list of integer` or `"a" | "b"`."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"const": value}:
            return as_json(value)
        case {"enum": [*values]}:
            return " | ".join(map(as_json, values))
        case {"anyOf": [*choices]} | {"oneOf": [*choices]} | {"allOf": [*choices]}:
            return " | ".join(dict.fromkeys(map(type_of, choices)))
        case {"type": [*names]}:
            return " | ".join(map(str, names))
        case {"type": "array"}:
            return _array(schema)
        case {"type": str(name)}:
            return _simple(name, schema)
    return "anything"


def _array(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"({', '.join(map(type_of, schema['prefixItems']))})"
    items = type_of(schema.get("items"))
    if " | " in items:
        items = f"({items})"
    return "list" if items == "anything" else f"list of {items}"


def _simple(name: str, schema: Mapping[str, Any]) -> str:
    values = schema.get("additionalProperties")
    if name == "object" and isinstance(values, Mapping) and values and "properties" not in schema:
        return f"object of {type_of(values)}"
    return str(schema.get("format", name)) if name == "string" else name


def _parameter(name: str, schema: Any, *, is_required: bool) -> Parameter:
    part: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    default = as_json(part["default"]) if "default" in part else ""
    description = str(part.get("description", ""))
    return Parameter(name, type_of(part), is_required, default, tuple(_constraints(part)), description)


def _constraints(schema: Mapping[str, Any]) -> list[str]:
    said = [words_for(key, schema[key]) for key in _BOUNDS if key in schema]
    if "prefixItems" in schema:
        return []
    for choice in schema.get("anyOf", ()):
        said += _constraints(choice) if isinstance(choice, Mapping) else []
    if schema.get("uniqueItems"):
        said.append(words_for("uniqueItems", True))
    return said

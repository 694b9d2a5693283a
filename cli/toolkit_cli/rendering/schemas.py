"""Describes JSON Schema in words: the types of parameters and their constraints."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.schemas.keywords import as_json, words_for
from toolkit.schemas.places import name_in_reference
from toolkit.schemas.schema import Schema

_BOUNDS = (
    "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "minItems", "maxItems",
)  # fmt: skip
_UNIONS = ("anyOf", "oneOf", "allOf")
_SHOWN = 3
"""Maximum number of levels of nested fields to show below a parameter."""


class Parameter(NamedTuple):
    """A parameter, or a field inside one (`items[].price`), for display; `default` is JSON, or empty."""

    name: str
    type: str
    required: bool
    default: str
    constraints: tuple[str, ...]
    description: str


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters in the schema of a tool, each followed by its nested fields."""
    return list(_walk(Schema.of(schema), "", _SHOWN))


def _walk(schema: Schema, prefix: str, depth: int) -> Iterator[Parameter]:
    required = schema.keywords.get("required", ())
    for name in schema.keywords.get("properties", {}):
        part = schema.at("properties", name)
        yield _parameter(f"{prefix}{name}", part, is_required=name in required)
        inner, sign = _fields_of(part)
        if inner is not None and depth:
            yield from _walk(inner, f"{prefix}{name}{sign}", depth - 1)


def _fields_of(schema: Schema) -> tuple[Schema | None, str]:
    """Return the schema of an object, or of the objects in a list, and the prefix of its fields."""
    sign, seen, found = "", set(), schema.resolved()
    while found is not None and found.pointer not in seen:
        seen.add(found.pointer)
        if found.keywords.get("properties"):
            return found, f"{sign}."
        is_list = found.keywords.get("type") == "array"
        sign, found = f"{sign}[]", found.item(0).resolved() if is_list and not found.positions else None
    return None, ""


def type_of(schema: Any) -> str:
    """Return a short description of a schema's type, such as `list of integer` or `"a" | "b"`."""
    return _type_at(Schema.of(schema))


def _type_at(part: Schema) -> str:
    match part.keywords:
        case {"$ref": str(reference)}:
            target = part.resolved()
            is_choice = target is not None and "enum" in target.keywords
            return _type_at(target) if target is not None and is_choice else name_in_reference(reference)
        case {"const": value}:
            return as_json(value)
        case {"enum": [*values]}:
            return " | ".join(map(as_json, values))
        case _ if choices := part.inner(_UNIONS):
            return " | ".join(dict.fromkeys(_type_at(one) for one in choices))
        case {"type": [*names]}:
            return " | ".join(map(str, names))
        case {"type": "array"}:
            return _array(part)
        case {"type": str(name)}:
            return _simple(name, part)
    return "anything"


def _array(schema: Schema) -> str:
    if count := schema.positions:
        return f"({', '.join(_type_at(schema.item(index)) for index in range(count))})"
    items = _type_at(schema.item(0))
    if " | " in items:
        items = f"({items})"
    return "list" if items == "anything" else f"list of {items}"


def _simple(name: str, schema: Schema) -> str:
    values = schema.at("additionalProperties")
    if name == "object" and values.keywords and "properties" not in schema.keywords:
        return f"object of {_type_at(values)}"
    return str(schema.keywords.get("format", name)) if name == "string" else name


def _parameter(name: str, schema: Schema, *, is_required: bool) -> Parameter:
    part = schema.keywords
    default = as_json(part["default"]) if "default" in part else ""
    description = str(part.get("description", ""))
    return Parameter(
        name,
        _type_at(schema),
        required=is_required,
        default=default,
        constraints=tuple(_constraints(part)),
        description=description,
    )


def _constraints(schema: Mapping[str, Any]) -> list[str]:
    texts = [words_for(key, schema[key]) for key in _BOUNDS if key in schema]
    part = Schema.of(schema)
    if part.positions:
        return []
    for choice in part.inner(("anyOf",)):
        texts += _constraints(choice.keywords)
    if schema.get("uniqueItems"):
        texts.append(words_for("uniqueItems", True))
    return texts

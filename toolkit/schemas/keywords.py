"""Defines the keywords of each JSON Schema draft: the form of their values, and what the schemas in them describe."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, NamedTuple

from toolkit.json_texts import as_plain, json_text

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


class Form(NamedTuple):
    """The form that the value of a keyword must have.

    Attributes:
        words: The form in words, such as `a number`.
        fits: Whether data has this form; schemas inside it are not checked.
        holds: Which schemas it contains: one, a list, a map by name, or none.
    """

    words: str
    fits: Callable[[Any], bool]
    holds: Literal["one", "list", "one or list", "map", "nothing"] = "nothing"


def is_schema(value: Any) -> bool:
    """Return whether data may be a schema: an object, true or false."""
    return isinstance(value, Mapping | bool)


def is_number(value: Any) -> bool:
    """Return whether data is a number that JSON can represent."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(is_schema, value))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(is_schema, value.values()))


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and _are_texts(value) and len(set(value)) == len(value)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_types(value: Any) -> bool:
    names = value if isinstance(value, list | tuple) and value else [value]
    return _are_names(names) and set(names) <= set(TYPES)


def _is_map_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(fits, value.values()))


SCHEMA = Form("a schema: an object, true or false", is_schema, "one")
SCHEMAS = Form("a list with at least one schema", _are_schemas, "list")
SCHEMA_OR_SCHEMAS = Form(
    "a schema, or a list with at least one schema",
    lambda value: is_schema(value) or _are_schemas(value),
    "one or list",
)
MAP = Form("an object with a schema for each name", _is_map, "map")
MAP_OF_SCHEMAS_OR_NAMES = Form(
    "an object with a schema or a list of names for each name",
    _is_map_of(lambda value: is_schema(value) or _are_names(value)),
    "map",
)
MAP_OF_NAMES = Form("an object with a list of names for each name", _is_map_of(_are_names))
MAP_OF_FLAGS = Form("an object with true or false for each address", _is_map_of(lambda value: isinstance(value, bool)))
TEXT = Form("a string", lambda value: isinstance(value, str))
FLAG = Form("true or false", lambda value: isinstance(value, bool))
NUMBER = Form("a number", is_number)
POSITIVE = Form("a number above zero", lambda value: is_number(value) and value > 0)
COUNT = Form("a whole number, zero or more", _is_count)
NAMES = Form("a list of different names", _are_names)
TYPE = Form(f"one of {', '.join(TYPES)}, or a list of different ones", _are_types)
CHOICES = Form("a list with at least one value", lambda value: isinstance(value, list | tuple) and bool(value))
VALUES = Form("a list of values", lambda value: isinstance(value, list | tuple))
VALUE = Form("any value", lambda _: True)


About = Literal["itself", "member", "item", "name", "content", "nothing"]
"""What a schema in a keyword describes: the value itself, a member or an item of it, the name of a member, the content
that a string encodes, or nothing until something refers to it."""


class Keyword(NamedTuple):
    """The definition of one keyword in one draft."""

    form: Form
    about: About = "nothing"


Table = Mapping[str, Keyword]


def _each(form: Form, *names: str, about: About = "nothing") -> dict[str, Keyword]:
    return dict.fromkeys(names, Keyword(form, about))


_DRAFT_04: Table = {
    **_each(TEXT, "$schema", "id", "$ref", "title", "description", "format", "pattern"),
    **_each(MAP, "definitions"),
    **_each(MAP, "properties", "patternProperties", about="member"),
    **_each(SCHEMA, "additionalProperties", about="member"),
    **_each(SCHEMA_OR_SCHEMAS, "items", about="item"),
    **_each(SCHEMA, "additionalItems", about="item"),
    **_each(SCHEMAS, "allOf", "anyOf", "oneOf", about="itself"),
    **_each(SCHEMA, "not", about="itself"),
    **_each(MAP_OF_SCHEMAS_OR_NAMES, "dependencies", about="itself"),
    **_each(TYPE, "type"),
    **_each(NAMES, "required"),
    **_each(CHOICES, "enum"),
    **_each(VALUE, "default"),
    **_each(NUMBER, "minimum", "maximum"),
    **_each(FLAG, "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"),
    **_each(POSITIVE, "multipleOf"),
    **_each(COUNT, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
}

_DRAFT_06: Table = {
    **{name: keyword for name, keyword in _DRAFT_04.items() if name != "id"},
    **_each(TEXT, "$id"),
    **_each(NUMBER, "exclusiveMinimum", "exclusiveMaximum"),
    **_each(SCHEMA, "contains", about="item"),
    **_each(SCHEMA, "propertyNames", about="name"),
    **_each(VALUE, "const"),
    **_each(VALUES, "examples"),
}

_DRAFT_07: Table = {
    **_DRAFT_06,
    **_each(SCHEMA, "if", "then", "else", about="itself"),
    **_each(FLAG, "readOnly", "writeOnly"),
    **_each(TEXT, "$comment", "contentMediaType", "contentEncoding"),
}

_DRAFT_2019: Table = {
    **_DRAFT_07,
    **_each(MAP, "$defs"),
    **_each(TEXT, "$anchor", "$recursiveRef"),
    **_each(FLAG, "$recursiveAnchor", "deprecated"),
    **_each(MAP_OF_FLAGS, "$vocabulary"),
    **_each(SCHEMA, "unevaluatedItems", about="item"),
    **_each(SCHEMA, "unevaluatedProperties", about="member"),
    **_each(MAP, "dependentSchemas", about="itself"),
    **_each(MAP_OF_NAMES, "dependentRequired"),
    **_each(COUNT, "minContains", "maxContains"),
    **_each(SCHEMA, "contentSchema", about="content"),
}

_NOT_SINCE_2020 = {"additionalItems", "$recursiveRef", "$recursiveAnchor"}

_DRAFT_2020: Table = {
    **{name: keyword for name, keyword in _DRAFT_2019.items() if name not in _NOT_SINCE_2020},
    **_each(SCHEMAS, "prefixItems", about="item"),
    **_each(SCHEMA, "items", about="item"),
    **_each(TEXT, "$dynamicRef", "$dynamicAnchor"),
}

DRAFTS: Mapping[str, Table] = {
    "draft-04": _DRAFT_04,
    "draft-06": _DRAFT_06,
    "draft-07": _DRAFT_07,
    "2019-09": _DRAFT_2019,
    "2020-12": _DRAFT_2020,
}
"""The keywords of each draft, by the name that its `$schema` contains."""

_ALL = [(name, keyword) for table in DRAFTS.values() for name, keyword in table.items()]
HOLDERS: Mapping[str, Keyword] = {name: keyword for name, keyword in _ALL if keyword.form.holds != "nothing"}
"""Every keyword that contains schemas in some draft. They are sent to models, whatever draft a schema declares."""
LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
"""The keywords that limit a value from one side. Each has the same index as its counterpart in the other list."""
MAPS = frozenset(name for name, keyword in HOLDERS.items() if keyword.form.holds == "map")
DEFINITIONS = tuple(sorted(name for name, keyword in HOLDERS.items() if keyword.about == "nothing"))
"""The keywords that contain schemas only as targets of references."""


def holders_about(*values: About) -> frozenset[str]:
    """Return the keywords whose schemas describe certain values."""
    return frozenset(name for name, keyword in HOLDERS.items() if keyword.about in values)


def forms_of(keyword: str, draft: str | None) -> list[Form]:
    """Return the forms that the value of a keyword may have in a draft, or in any; empty for an unknown keyword."""
    tables = DRAFTS.values() if draft is None else (DRAFTS[draft],)
    return [table[keyword].form for table in tables if keyword in table]


def draft_of(root: object) -> str | None:
    """Return the draft that a schema declares; None if it does not declare a known one."""
    declared = root.get("$schema") if isinstance(root, Mapping) else None
    return next((draft for draft in DRAFTS if draft in declared), None) if isinstance(declared, str) else None


_WORDS = {
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
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "format": "format: {}",
    "contentEncoding": "encoding: {}",
    "contentMediaType": "media type: {}",
}
_ONE = ("characters", "items", "members")
_FLAGS = {"uniqueItems": "unique items", "deprecated": "deprecated", "nullable": "may be null"}


def words_for(key: str, value: Any) -> str:
    """Return what a keyword requires, such as `at least 3 characters`; JSON if there are no words for it."""
    if key in _FLAGS:
        return _FLAGS[key] if value is True else ""
    if key == "default" and value is None:
        return ""
    if key == "enum":
        return f"one of {', '.join(map(as_json, value))}"
    if key == "const":
        return f"always {as_json(value)}"
    if key not in _WORDS:
        return f"{key}: {as_json(value)}"
    text = _WORDS[key].format(value if isinstance(value, str) else as_json(value))
    return text[:-1] if value == 1 and text.endswith(_ONE) else text


def as_json(value: Any) -> str:
    """Return a value as JSON text on one line."""
    return json_text(value, default=as_plain)

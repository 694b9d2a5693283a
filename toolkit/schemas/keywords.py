"""Defines the keywords of each JSON Schema draft: the form of their values, and what the schemas in them describe."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from toolkit.schemas import forms
from toolkit.schemas.forms import Form

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
    **_each(forms.TEXT, "$schema", "id", "$ref", "title", "description", "format", "pattern"),
    **_each(forms.MAP, "definitions"),
    **_each(forms.MAP, "properties", "patternProperties", about="member"),
    **_each(forms.SCHEMA, "additionalProperties", about="member"),
    **_each(forms.SCHEMA_OR_SCHEMAS, "items", about="item"),
    **_each(forms.SCHEMA, "additionalItems", about="item"),
    **_each(forms.SCHEMAS, "allOf", "anyOf", "oneOf", about="itself"),
    **_each(forms.SCHEMA, "not", about="itself"),
    **_each(forms.MAP_OF_SCHEMAS_OR_NAMES, "dependencies", about="itself"),
    **_each(forms.TYPE, "type"),
    **_each(forms.NAMES, "required"),
    **_each(forms.CHOICES, "enum"),
    **_each(forms.VALUE, "default"),
    **_each(forms.NUMBER, "minimum", "maximum"),
    **_each(forms.FLAG, "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"),
    **_each(forms.POSITIVE, "multipleOf"),
    **_each(forms.COUNT, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
}

_DRAFT_06: Table = {
    **{name: keyword for name, keyword in _DRAFT_04.items() if name != "id"},
    **_each(forms.TEXT, "$id"),
    **_each(forms.NUMBER, "exclusiveMinimum", "exclusiveMaximum"),
    **_each(forms.SCHEMA, "contains", about="item"),
    **_each(forms.SCHEMA, "propertyNames", about="name"),
    **_each(forms.VALUE, "const"),
    **_each(forms.VALUES, "examples"),
}

_DRAFT_07: Table = {
    **_DRAFT_06,
    **_each(forms.SCHEMA, "if", "then", "else", about="itself"),
    **_each(forms.FLAG, "readOnly", "writeOnly"),
    **_each(forms.TEXT, "$comment", "contentMediaType", "contentEncoding"),
}

_DRAFT_2019: Table = {
    **_DRAFT_07,
    **_each(forms.MAP, "$defs"),
    **_each(forms.TEXT, "$anchor", "$recursiveRef"),
    **_each(forms.FLAG, "$recursiveAnchor", "deprecated"),
    **_each(forms.MAP_OF_FLAGS, "$vocabulary"),
    **_each(forms.SCHEMA, "unevaluatedItems", about="item"),
    **_each(forms.SCHEMA, "unevaluatedProperties", about="member"),
    **_each(forms.MAP, "dependentSchemas", about="itself"),
    **_each(forms.MAP_OF_NAMES, "dependentRequired"),
    **_each(forms.COUNT, "minContains", "maxContains"),
    **_each(forms.SCHEMA, "contentSchema", about="content"),
}

_NOT_SINCE_2020 = {"additionalItems", "$recursiveRef", "$recursiveAnchor"}

_DRAFT_2020: Table = {
    **{name: keyword for name, keyword in _DRAFT_2019.items() if name not in _NOT_SINCE_2020},
    **_each(forms.SCHEMAS, "prefixItems", about="item"),
    **_each(forms.SCHEMA, "items", about="item"),
    **_each(forms.TEXT, "$dynamicRef", "$dynamicAnchor"),
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

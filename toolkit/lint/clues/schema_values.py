"""Checks whether a default or an example is valid for its schema."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolkit.pipelines.schema_relations import in_words
from toolkit.schemas.places import declared_kinds, definitions_in, kind_of_data
from toolkit.schemas.validation import Validator
from toolkit.tools.shapes.schema_shapes import misfit_in_words, refusal_in_words

_MEMBER = "value"
_PLAIN = {"type", "title", "description", "default", "examples"}
"""Keywords that put no constraint on a value besides its type."""


def misfit_of_value(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> str | None:
    """Return why a value is not valid for the schema of a parameter; None if it is valid, or if that is not known.

    Args:
        value: Plain data.
        schema: The schema of the parameter.
        root: The root schema, with the definitions that `schema` may refer to.
    """
    kinds, kind = declared_kinds(schema), kind_of_data(value)
    if "type" in schema and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return f"{json.dumps(value, ensure_ascii=False, default=str)} is {in_words({kind})}, not {in_words(kinds)}"
    if set(schema) <= _PLAIN and isinstance(schema.get("type"), str) and kind not in ("object", "array"):
        return None
    whole = {"type": "object", "properties": {_MEMBER: schema}, "required": [_MEMBER], **definitions_in(root)}
    return _judged(whole, lambda validator: misfit_in_words(validator, {_MEMBER: value}, within=1))


def misfit_of_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return why arguments are not valid for the schema of a tool; None if they are, or if that is not known."""
    return _judged(schema, lambda validator: refusal_in_words(validator, dict(arguments)))


def _judged(schema: Mapping[str, Any], judge: Callable[[Validator], str | None]) -> str | None:
    try:
        return judge(Validator(schema, foreign=True))
    except (ValueError, RecursionError):
        return None  # another rule reports a schema that cannot be checked

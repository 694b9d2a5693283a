"""Checks whether a default or an example is valid for its schema."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.errors import MISSING, ToolArgumentsError
from toolkit.pipelines.schema_relations import in_words
from toolkit.schemas.places import declared_kinds, definitions_in, kind_of_data

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
    found = _refusal({_MEMBER: value}, whole)
    if found is None:
        return None
    reasons = [_in_words(path.removeprefix(_MEMBER).removeprefix("."), reason) for path, reason in found.faults.items()]
    return "; ".join(reasons) or str(found)


def _in_words(path: str, reason: str) -> str:
    """Return what is wrong with a value, or with the part of it at a path such as `[0].name`."""
    if reason == MISSING:
        return f"{path!r} {MISSING}" if path else "null is not one of its values"
    return f"{path!r} {reason}" if path else reason


def misfit_of_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return why arguments are not valid for the schema of a tool; None if they are, or if that is not known."""
    found = _refusal(arguments, schema)
    return None if found is None else str(found)


def _refusal(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> ToolArgumentsError | None:
    from toolkit.tools.shapes.arguments import read_arguments  # only defaults and examples need it
    from toolkit.tools.shapes.schema_types import shape_of_schema

    try:
        read_arguments(shape_of_schema(schema, foreign=True), dict(arguments), drops_nulls=False)
    except ToolArgumentsError as error:
        return error
    except (ValueError, RecursionError):
        return None  # another rule reports a schema that cannot be checked
    return None

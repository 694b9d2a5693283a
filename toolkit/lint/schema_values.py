"""Values and schemas: whether a default or an example fits its schema."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.pipelines.schema_types import in_words
from toolkit.schemas.kinds import declared_kinds, kind_of_data
from toolkit.schemas.places import definitions_in

_MEMBER = "value"
_PLAIN = {"type", "title", "description", "default", "examples"}
"""The keywords of a schema that a value fits as soon as it is of the type."""


def misfit_of_value(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> str | None:
    """Return why a value does not fit the schema of a parameter, or None if it does, or if that is not known.

    Args:
        value: Plain data.
        schema: The schema of the parameter.
        root: The schema that it stands in, whose definitions it may refer to.
    """
    kinds, kind = declared_kinds(schema), kind_of_data(value)
    if "type" in schema and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return f"{json.dumps(value, ensure_ascii=False, default=str)} is {in_words({kind})}, not {in_words(kinds)}"
    if set(schema) <= _PLAIN and isinstance(schema.get("type"), str) and kind not in ("object", "array"):
        return None
    whole = {"type": "object", "properties": {_MEMBER: schema}, "required": [_MEMBER], **definitions_in(root)}
    found = misfit_of_arguments({_MEMBER: value}, whole)
    return None if found is None else found.partition(f"Invalid parameter '{_MEMBER}': ")[2] or found


def misfit_of_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return why arguments do not fit the schema of a tool, or None if they do, or if that is not known."""
    from toolkit.tools.shapes.arguments import read_arguments  # noqa: PLC0415 - only defaults and examples need it
    from toolkit.tools.shapes.schema_types import shape_of_schema  # noqa: PLC0415

    try:
        read_arguments(shape_of_schema(schema, foreign=True), dict(arguments), frozenset())
    except ToolArgumentsError as error:
        return str(error)
    except (ValueError, RecursionError):
        return None  # a schema that cannot be checked is another rule's business
    return None

"""Validates arguments and results against schemas from other sources, such as MCP servers, as far as possible.

Such a schema is not trusted: validating takes linear time whatever patterns it contains.
"""

from collections.abc import Mapping
from typing import Any

from toolkit.tools.shapes.objections import details_of, path_of
from toolkit.tools.shapes.schema_types import shape_of_schema
from toolkit.tools.shapes.shape_values import Shape

_ANYTHING: Mapping[str, Any] = {"type": "object", "additionalProperties": True}
_COMBINING = ("allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties")


def shape_of_arguments(parameters: Mapping[str, Any]) -> Shape:
    """Return the shape of a tool's arguments; the owner of the tool checks what cannot be checked here."""
    schema = parameters
    if "properties" not in schema or any(key in schema for key in _COMBINING):
        schema = _allow_extra(schema)
    try:
        return shape_of_schema(schema, foreign=True)
    except ValueError:
        return shape_of_schema(_ANYTHING)


def output_mismatch(structured: Any, output_schema: Mapping[str, Any]) -> str | None:
    """Return where and how a result violates the tool's output schema, or `None` if it is valid."""
    try:
        shape = shape_of_schema(_allow_extra(output_schema), foreign=True)
    except ValueError:
        return None
    try:
        read = shape.validate_data(structured)
    except ValueError as error:
        first = details_of(error)[0]  # type: ignore[arg-type]  # it is pydantic's
        where = path_of(first, structured)
        return f"{where}: {first['msg']}" if where else str(first["msg"])
    return None if read == structured else "the structured content does not match the output schema"


def _allow_extra(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**schema, "additionalProperties": schema.get("additionalProperties", True)}

"""Helpers for the JSON Schemas of file formats, which are draft-07 since editors support no later draft."""

from collections.abc import Sequence
from typing import Any

DRAFT = "http://json-schema.org/draft-07/schema#"

NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
"""The pattern of a name that can be used in an expression."""

Schema = dict[str, Any]


def closed(properties: Schema, required: Sequence[str] = ()) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": [*required]} if required else schema


def reference(name: str, description: str = "") -> Schema:
    """Return a reference to a definition, wrapped if it has a description, which draft-07 ignores next to `$ref`."""
    found = {"$ref": f"#/definitions/{name}"}
    return {"allOf": [found], "description": description} if description else found


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}

"""Schemas: what the formats of files are made of, as JSON Schemas for editors: draft-07, since they read no later."""

from collections.abc import Sequence
from typing import Any

DRAFT = "http://json-schema.org/draft-07/schema#"

NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
"""The pattern of a name that an expression can say."""

Schema = dict[str, Any]


def closed(properties: Schema, required: Sequence[str] = ()) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": [*required]} if required else schema


def reference(name: str, description: str = "") -> Schema:
    """Return the reference to a definition; beside one draft-07 reads nothing else, so a description goes round it."""
    found = {"$ref": f"#/definitions/{name}"}
    return {"allOf": [found], "description": description} if description else found


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}

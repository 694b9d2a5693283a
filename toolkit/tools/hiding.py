"""Hiding: secrets among the arguments stay out of questions, logs and events, and reach the tool unharmed.

A secret is what its schema calls write-only, as the one of a `SecretStr` does.
"""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.json_texts import json_text
from toolkit.tools.schemas import REFERENCE, subschemas

MASK = "**********"


def secret_members(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the members of an object that are secrets or contain some."""
    members: Mapping[str, Any] = schema.get("properties", {})
    definitions = schema.get("$defs", {})
    return frozenset(name for name, member in members.items() if _is_secret(member, definitions, frozenset()))


def _is_secret(schema: Any, definitions: Mapping[str, Any], seen: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return False
    if schema.get("writeOnly") is True:
        return True
    reference = schema.get("$ref")
    parts = list(subschemas(schema))
    if isinstance(reference, str) and reference not in seen:
        seen |= {reference}
        parts.append(definitions.get(reference.removeprefix(REFERENCE), {}))
    return any(_is_secret(part, definitions, seen) for part in parts)


def masked(arguments: str | Mapping[str, Any], secrets: frozenset[str]) -> str | Mapping[str, Any]:
    """Return arguments as they came, with stars for each secret; text in which none can be told apart is all stars."""
    if not secrets:
        return arguments
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if data is None:
        return MASK
    shown = {name: MASK if name in secrets else value for name, value in data.items()}
    return json_text(shown) if isinstance(arguments, str) else shown


def veiled(arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data with stars for whatever its schema calls write-only, at any depth."""
    veil: dict[str, Any] = _veiled(arguments, schema, schema.get("$defs", {}), frozenset())
    return veil


def _veiled(value: Any, schema: Any, definitions: Mapping[str, Any], seen: frozenset[str]) -> Any:
    if not isinstance(schema, dict) or value is None:
        return value
    if schema.get("writeOnly") is True:
        return MASK
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        target = definitions.get(reference.removeprefix(REFERENCE))
        value = _veiled(value, target, definitions, seen | {reference})
    for branch in (one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())):
        value = _veiled(value, branch, definitions, seen)
    if isinstance(value, dict):
        members, others = schema.get("properties", {}), schema.get("additionalProperties")
        return {name: _veiled(one, members.get(name, others), definitions, frozenset()) for name, one in value.items()}
    if isinstance(value, list):
        first, others = schema.get("prefixItems", ()), schema.get("items")
        parts = [*first, *[others] * (len(value) - len(first))]
        return [_veiled(one, part, definitions, frozenset()) for one, part in zip(value, parts, strict=False)]
    return value


def members_of(text: str) -> dict[str, Any] | None:
    """Return the members of the object that a text is, or `None` where it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

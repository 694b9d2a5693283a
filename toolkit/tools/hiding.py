"""Hiding: secrets among the arguments stay out of questions, logs and events, and reach the tool unharmed.

A secret is what its schema calls write-only, as the one of a `SecretStr` does.
"""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.tools.schemas import REFERENCE, subschemas
from toolkit.tools.showing import frozen

if TYPE_CHECKING:
    from toolkit.tools.base import Tool

MASK = "**********"
_SALT = os.urandom(16)  # a digest may travel to a reviewer elsewhere, and a short password must not be found from it


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
    data = _members(arguments) if isinstance(arguments, str) else arguments
    if data is None:
        return MASK
    shown = {name: MASK if name in secrets else value for name, value in data.items()}
    return json.dumps(shown, ensure_ascii=False) if isinstance(arguments, str) else shown


def digest_of_secrets(sent: str, secrets: frozenset[str]) -> str:
    """Return what differs between two calls that differ in a secret only, and tells nothing about it."""
    data = _members(sent) if secrets else None
    if not data:
        return ""
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and only a question needs it

    hidden = json.dumps({name: data[name] for name in sorted(secrets) if name in data}, sort_keys=True)
    return sha256(_SALT + hidden.encode()).hexdigest()


def unhidden(tool: "Tool", edited: str | Mapping[str, Any], sent: str) -> str:
    """Return edited arguments as JSON text, with the secret of the call wherever a reviewer left the stars."""
    text = frozen(edited)
    new, old = (_members(text), _members(sent)) if tool.hidden_parameters else (None, None)
    if new is None or old is None:
        return text
    shown = tool.describe(tool.parse(sent))
    kept = {
        name: old[name]
        for name in tool.hidden_parameters
        if name in old and name in new and new[name] == shown.get(name)
    }
    return json.dumps(new | kept)


def _members(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

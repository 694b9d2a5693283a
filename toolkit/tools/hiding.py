"""Hiding: secrets among the arguments stay out of questions, logs and events, and reach the tool unharmed.

A secret is what its schema calls write-only, as the one of a `SecretStr` does.
"""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.tools.schemas import REFERENCE, subschemas
from toolkit.tools.showing import frozen, is_type_alone

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


def digest_of_call(tool: "Tool", sent: str) -> str:
    """Return what differs between any two calls of different tools, or with different arguments, and tells nothing.

    Calls that a reviewer sees alike may differ in a secret, in what has no form in JSON, or in the tool behind a name.
    """
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and only a question needs it

    data = _members(sent)
    whole = sent if data is None else json.dumps(_known(tool, data), sort_keys=True)
    return sha256(_SALT + f"{tool.identity} {whole}".encode(errors="surrogatepass")).hexdigest()


def unhidden(tool: "Tool", edited: str | Mapping[str, Any], sent: str) -> str:
    """Return edited arguments as JSON text, with the secret of the call wherever a reviewer left the stars."""
    text = frozen(edited)
    new, old = (_members(text), _members(sent)) if tool.hidden_parameters else (None, None)
    if new is None or old is None:
        return text
    shown = shown_arguments(tool, tool.parse(sent), sent)
    kept = {
        name: old[name]
        for name in tool.hidden_parameters
        if name in old and name in new and new[name] == shown.get(name)
    }
    return json.dumps(new | kept)


def shown_arguments(tool: "Tool", parsed: Any, sent: str) -> dict[str, Any]:
    """Return the arguments of a call as a reviewer sees them: as they were read, and whatever of them that leaves out.

    A type may keep members out of its JSON, or have none at all; what was sent for them is shown, but no secret is.
    """
    told = veiled(_known(tool, _members(sent) or {}), tool.spec.parameters)
    shown: dict[str, Any] = _completed(tool.describe(parsed), told)
    return shown


def _known(tool: "Tool", data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the tool knows of; what it does not, it never sees."""
    return {name: value for name, value in data.items() if name in tool.spec.properties}


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


def _completed(shown: Any, sent: Any) -> Any:
    """Return what is shown, with what was sent for it wherever it says nothing, or no more than a type."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        both = {name: _completed(value, sent[name]) if name in sent else value for name, value in shown.items()}
        return both | {name: value for name, value in sent.items() if name not in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_completed(*pair) for pair in zip(shown, sent, strict=True)]
    return sent if isinstance(shown, str) and is_type_alone(shown) else shown


def _members(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

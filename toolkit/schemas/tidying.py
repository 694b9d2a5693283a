"""Tidies generated schemas for models."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from toolkit.schemas.places import places_within
from toolkit.schemas.schema import Schema

REFERENCE = "#/$defs/"


def tidied(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a generated schema without titles and needless definitions.

    A definition that is used once is moved to its use. One that is used more often, or by itself, is kept.
    """
    definitions: dict[str, dict[str, Any]] = schema.get("$defs", {})
    if "$ref" in schema:  # a recursive type, whose schema is copied to the root
        schema |= deepcopy(definitions[schema.pop("$ref").removeprefix(REFERENCE)])
    for part in parts_of(schema):
        if isinstance(tags := part.get("discriminator"), dict):
            _require_tag(str(tags.get("propertyName")), Schema(schema, part).alternatives())
    _each(schema, _without_needless_keys)
    for name in list(definitions):
        users = [part for part in parts_of(schema) if part.get("$ref") == REFERENCE + name]
        inside = any(part is user for part in parts_of(definitions[name]) for user in users)
        if len(users) == 1 and not inside:
            user, definition = users[0], definitions.pop(name)
            del user["$ref"]
            result = dict(user)
            user.clear()
            user.update(definition | result)
    if not definitions:
        schema.pop("$defs", None)
    _each(schema, put_in_order)
    return schema


def _require_tag(tag: str, branches: Iterable[Schema]) -> None:
    """Require the member that selects a branch of a union, although it has a default: calls fail without it."""
    for branch in branches:
        if tag in (members := branch.keywords.get("properties", {})):
            members[tag].pop("default", None)
            branch.node["required"] = list(dict.fromkeys([*branch.keywords.get("required", ()), tag]))


def _without_needless_keys(schema: dict[str, Any]) -> None:
    """Drop titles, which repeat names, and discriminators, which repeat constants and are not JSON Schema."""
    schema.pop("title", None)
    schema.pop("discriminator", None)


def parts_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a schema and every schema inside it."""
    return [part for _, part in places_within(schema) if isinstance(part, dict)]


def joined_sentences(first: str, second: str) -> str:
    """Join two texts, with a full stop after the first one unless it ends with punctuation."""
    first, second = first.rstrip(), second.strip()
    if not (first and second):
        return first or second
    is_ended = first.rstrip(_CLOSING).endswith(_ENDS)
    return f"{first}{'' if is_ended else '.'} {second}"


_ENDS = tuple(".!?:;…\u3002\uff01\uff1f")  # the last three are those of Chinese and Japanese
_CLOSING = "\"')]»”"


def _each(schema: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> None:
    for part in parts_of(schema):
        change(part)


_FIRST = ("$ref", "type", "description", "properties", "required")


def put_in_order(schema: dict[str, Any]) -> None:
    """Move the most important keywords to the front, and the definitions to the end."""
    keys = [key for key in _FIRST if key in schema]
    keys += [key for key in schema if key not in keys and key != "$defs"]
    keys += ["$defs"] if "$defs" in schema else []
    copy = dict(schema)
    schema.clear()
    schema.update((key, copy[key]) for key in keys)

"""Secret arguments: where among the arguments of a call secrets stand; they reach the tool unharmed, and nobody else.

A secret is what its schema calls write-only or a password, as that of a `SecretStr` does, and text under a name such as
`api_key`. Its place is enough to hide it, however short it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolkit.json_texts import json_text
from toolkit.redactors.redactor import MASK
from toolkit.redactors.secret_objects import texts_within
from toolkit.redactors.token_formats import token_spans
from toolkit.schemas.schema import Schema, is_secret_name
from toolkit.tools.exact_numbers import loads


def secret_members(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the members of an object that are secrets or contain some."""
    members = (inner for part in Schema.of(schema).applied() for key, inner in part.held() if key == "properties")
    return frozenset(str(member.pointer[-1]) for member in members if any(member.secrets()))


def masked(arguments: str | Mapping[str, Any], secrets: frozenset[str]) -> str | Mapping[str, Any]:
    """Return arguments with a mask for each secret, or as they came; text that cannot be parsed is masked as a whole.

    Args:
        arguments: What was sent.
        secrets: The names of the members that are secrets, or contain some.
    """
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if data is None:
        return MASK if secrets else arguments
    shown = {name: MASK if name in secrets else _without_names(value) for name, value in data.items()}
    if all(shown[name] is value for name, value in data.items()):
        return arguments
    return json_text(shown) if isinstance(arguments, str) else shown


def _without_names(value: Any) -> Any:
    try:
        return _veiled(value, [], [])
    except RecursionError:  # the call will fail for it, and its content is unknown
        return MASK


class Veil:
    """Hides the secrets among the arguments that a schema is of, at any depth."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Look once whether the schema marks any secret; if it marks none, names alone decide."""
        self._speaking = Schema.of(schema).applied() if _marks_secrets(schema) else []

    def over(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain data with a mask for every secret in it."""
        shown: dict[str, Any] = _veiled(dict(arguments), self._speaking, [])
        return shown

    def hidden_in(self, arguments: Mapping[str, Any]) -> list[Any]:
        """Return what stands where there is a mask then."""
        found: list[Any] = []
        _veiled(dict(arguments), self._speaking, found)
        return found


def _marks_secrets(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema calls any value a secret, wherever in it a reference may lead."""
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if Schema.of(part).is_marked_secret:
                return True
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
    return False


def secrets_of_schema(schema: Mapping[str, Any], examples: Sequence[Any] = ()) -> list[str]:
    """Return the secrets that a definition itself gives away: in defaults, constants and examples of secret members."""
    secret = (part for part in Schema.of(schema).parts() if part.is_secret)
    found = [value for part in secret for inner in part.reached() for value in inner.values()]
    found += [text[start:end] for text in _texts_of(schema) for start, end in token_spans(text)]
    for example in examples:
        if isinstance(example, Mapping):
            found += Veil(schema).hidden_in(example)
    return list(texts_within(found))


def _texts_of(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list | tuple):
        for one in data.values() if isinstance(data, Mapping) else data:
            yield from _texts_of(one)


def _veiled(value: Any, speaking: Sequence[Schema], found: list[Any]) -> Any:
    """Return a value without its secrets, each of which is added to those that were found.

    Args:
        value: Plain data; the very same is returned where there is no secret in it.
        speaking: Every schema that speaks of it.
        found: Receives the secrets.
    """
    if value is None or value is MASK:
        return value
    if any(schema.is_marked_secret for schema in speaking):
        found.append(value)
        return MASK
    if isinstance(value, dict):
        return _veiled_members(value, speaking, found)
    return _veiled_items(value, speaking, found) if isinstance(value, list) else value


def _veiled_members(value: dict[Any, Any], speaking: Sequence[Schema], found: list[Any]) -> dict[Any, Any]:
    shown = {}
    for name, member in value.items():
        if isinstance(member, str) and member is not MASK and isinstance(name, str) and is_secret_name(name):
            found.append(member)
            shown[name] = MASK
        else:
            shown[name] = _veiled(member, _apply(one for schema in speaking for one in schema.members(name)), found)
    return value if all(shown[name] is member for name, member in value.items()) else shown


def _veiled_items(value: list[Any], speaking: Sequence[Schema], found: list[Any]) -> list[Any]:
    positions = max((schema.positions for schema in speaking), default=0)
    parts = [_apply(one for schema in speaking for one in schema.items(index)) for index in range(positions + 1)]
    items = [_veiled(item, parts[min(index, positions)], found) for index, item in enumerate(value)]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items


def _apply(schemas: Iterable[Schema]) -> list[Schema]:
    return [one for schema in schemas for one in schema.applied()]


def members_of(text: str) -> dict[str, Any] | None:
    """Return the members of the object that a text is, or `None` where it is not an object."""
    try:
        data = loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

"""Hiding: where among the arguments of a call secrets stand; they reach the tool unharmed, and nobody else.

A secret is what its schema calls write-only or a password, as that of a `SecretStr` does, and text under a name such as
`api_key`. Its place is enough to hide it, however short it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from toolkit.json_texts import json_text
from toolkit.redactors.redactor import MASK
from toolkit.redactors.secret_names import names_secret
from toolkit.redactors.secret_objects import texts_within
from toolkit.redactors.token_formats import token_spans
from toolkit.tools.exact_numbers import loads
from toolkit.tools.schemas import BY_NAME, REFERENCE, subschemas

Definitions = Mapping[str, Any]

_DATA_KEYS = ("default", "const", "enum", "examples")


def secret_members(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the members of an object that are secrets or contain some."""
    return _secret_members(schema, schema.get("$defs", {}), frozenset())


def _secret_members(schema: Mapping[str, Any], definitions: Definitions, seen: frozenset[str]) -> frozenset[str]:
    members: Mapping[str, Any] = schema.get("properties", {})
    return frozenset(
        name
        for name, member in members.items()
        if (_is_named(name) and _takes_text(member)) or _is_secret(member, definitions, seen)
    )


def _is_secret(schema: Any, definitions: Definitions, seen: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return False
    if _is_marked(schema) or _secret_members(schema, definitions, seen):
        return True
    reference = schema.get("$ref")
    parts = list(subschemas(schema))
    if isinstance(reference, str) and reference not in seen:
        seen |= {reference}
        parts.append(definitions.get(reference.removeprefix(REFERENCE), {}))
    return any(_is_secret(part, definitions, seen) for part in parts)


def _is_marked(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _takes_text(schema: Any) -> bool:
    """Return whether a text fits a schema, as far as its own words tell."""
    if not isinstance(schema, dict):
        return schema is True
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if branches:
        return any(map(_takes_text, branches))
    types = schema.get("type")
    return types is None if not types else "string" in ([types] if isinstance(types, str) else types)


_is_named = lru_cache(maxsize=1024)(names_secret)


def masked(arguments: str | Mapping[str, Any], secrets: frozenset[str]) -> str | Mapping[str, Any]:
    """Return arguments with a mask for each secret, or as they came; text in which none can be told apart is all mask.

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
        return _veiled_names(value, [])
    except RecursionError:  # the call will fail for it, and nobody can tell what is in it
        return MASK


def veiled(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data with a mask for every secret in it, at any depth."""
    veil: dict[str, Any] = _veiled(dict(arguments), schema, schema.get("$defs", {}), frozenset(), [])
    return veil


def secrets_among(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Any]:
    """Return what stands where `veiled` puts a mask."""
    found: list[Any] = []
    _veiled(dict(arguments), schema, schema.get("$defs", {}), frozenset(), found)
    return found


def secrets_of_schema(schema: Mapping[str, Any], examples: Sequence[Any] = ()) -> list[str]:
    """Return the secrets that a definition itself gives away: in defaults, constants and examples of secret members."""
    found: list[Any] = []
    _collect_given(schema, found, is_secret=False)
    found += [text[start:end] for text in _texts_of(schema) for start, end in token_spans(text)]
    for example in examples:
        if isinstance(example, Mapping):
            found += secrets_among(example, schema)
    return list(texts_within(found))


def _texts_of(data: Any) -> Iterator[str]:
    """Yield every text in plain data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list | tuple):
        for one in data.values() if isinstance(data, Mapping) else data:
            yield from _texts_of(one)


def _collect_given(schema: Any, found: list[Any], *, is_secret: bool) -> None:
    if not isinstance(schema, Mapping):
        return
    is_secret = is_secret or _is_marked(schema)
    if is_secret:
        found += [schema[key] for key in _DATA_KEYS if key in schema]
    for key, part in schema.items():
        if key == "properties" and isinstance(part, Mapping):
            for name, member in part.items():
                is_named = isinstance(name, str) and _is_named(name) and _takes_text(member)
                _collect_given(member, found, is_secret=is_secret or is_named)
        elif key in BY_NAME and isinstance(part, Mapping):
            for one in part.values():
                _collect_given(one, found, is_secret=is_secret)
        elif key not in _DATA_KEYS:
            for one in part if isinstance(part, list) else [part]:
                _collect_given(one, found, is_secret=is_secret)


def _veiled(value: Any, schema: Any, definitions: Definitions, seen: frozenset[str], found: list[Any]) -> Any:
    """Return a value without its secrets, each of which is added to those that were found."""
    if value is None or value is MASK:
        return value
    if not isinstance(schema, dict):
        return _veiled_names(value, found)
    if _is_marked(schema):
        found.append(value)
        return MASK
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        target = definitions.get(reference.removeprefix(REFERENCE))
        value = _veiled(value, target, definitions, seen | {reference}, found)
    for branch in (one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())):
        value = _veiled(value, branch, definitions, seen, found)
    if isinstance(value, dict):
        members, others = schema.get("properties", {}), schema.get("additionalProperties")
        return {
            name: _veiled_member(name, one, members.get(name, others), definitions, found)
            for name, one in value.items()
        }
    if isinstance(value, list):
        first, others = schema.get("prefixItems", ()), schema.get("items")
        parts = [*first, *[others] * (len(value) - len(first))]
        return [_veiled(one, part, definitions, frozenset(), found) for one, part in zip(value, parts, strict=False)]
    return value


def _veiled_member(name: str, value: Any, schema: Any, definitions: Definitions, found: list[Any]) -> Any:
    if isinstance(value, str) and value is not MASK and _is_named(name):
        found.append(value)
        return MASK
    return _veiled(value, schema, definitions, frozenset(), found)


def _veiled_names(value: Any, found: list[Any]) -> Any:
    """Return data without what stands under names of secrets; the same data where nothing does."""
    if isinstance(value, dict):
        shown = {
            name: _veiled_member(name, one, None, {}, found) if isinstance(name, str) else one
            for name, one in value.items()
        }
        return value if all(shown[name] is one for name, one in value.items()) else shown
    if isinstance(value, list):
        items = [_veiled_names(one, found) for one in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def members_of(text: str) -> dict[str, Any] | None:
    """Return the members of the object that a text is, or `None` where it is none."""
    try:
        data = loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None

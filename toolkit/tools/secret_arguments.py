"""Finds and masks the secrets among the arguments of a call, and restores them after a reviewer has edited these."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import ToolArgumentsError
from toolkit.json_texts import json_text
from toolkit.redactors.redactor import (
    MASK,
    Redactor,
    environment_redactor,
    redactor_of_environment,
    secrets_within,
    texts_within,
)
from toolkit.redactors.secret_names import token_spans
from toolkit.schemas.schema import Schema, is_secret_name
from toolkit.tools.calls.json_data import dumps, freeze_as_json, loads

if TYPE_CHECKING:
    from toolkit.tools.callees import Callee
    from toolkit.tools.context import ToolContext


def secret_members(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the members of an object that are, or contain, secrets."""
    members = (inner for part in Schema.of(schema).applied() for key, inner in part.held() if key == "properties")
    return frozenset(str(member.pointer[-1]) for member in members if any(member.secrets()))


def mask_secrets(arguments: str | Mapping[str, Any], secrets: frozenset[str]) -> str | Mapping[str, Any]:
    """Return arguments with secrets masked, or unchanged if there are none; invalid JSON is masked as a whole.

    Args:
        arguments: The arguments as received.
        secrets: The names of the members that are, or contain, secrets.
    """
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if data is None:
        return MASK if secrets else arguments
    shown = {
        name: MASK if name in secrets else _without_names(value) if isinstance(value, dict | list) else value
        for name, value in data.items()
    }
    if all(shown[name] is value for name, value in data.items()):
        return arguments
    return json_text(shown) if isinstance(arguments, str) else shown


def _without_names(value: Any) -> Any:
    try:
        return _mask(value, [], [])
    except RecursionError:  # the contents are unknown, and the call will fail for the same reason
        return MASK


class Veil:
    """Masks the secrets in data described by a schema, at any depth."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Create a veil; if the schema does not mark any secrets, only names of members count."""
        self._schemas = Schema.of(schema).applied() if _marks_secrets(schema) else []

    def over(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain data with all secrets masked."""
        shown: dict[str, Any] = _mask(dict(arguments), self._schemas, [])
        return shown

    def hidden_in(self, arguments: Mapping[str, Any]) -> list[Any]:
        """Return the values that `over` masks."""
        found: list[Any] = []
        _mask(dict(arguments), self._schemas, found)
        return found


def _marks_secrets(schema: Mapping[str, Any]) -> bool:
    """Return whether any part of a schema, including unused definitions, marks a value as a secret."""
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
    """Return the secrets that a definition itself contains: in defaults, constants, examples and texts."""
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


def _mask(value: Any, schemas: Sequence[Schema], found: list[Any]) -> Any:
    """Return a value with its secrets masked, and add the secrets to `found`.

    Args:
        value: Plain data; the same object is returned if it contains no secret.
        schemas: Every schema that applies to the value.
        found: Receives the secrets.
    """
    if value is None or value is MASK:
        return value
    if schemas and any(schema.is_marked_secret for schema in schemas):
        found.append(value)
        return MASK
    if isinstance(value, dict):
        return _mask_members(value, schemas, found)
    return _mask_items(value, schemas, found) if isinstance(value, list) else value


def _mask_members(value: dict[Any, Any], schemas: Sequence[Schema], found: list[Any]) -> dict[Any, Any]:
    shown = {}
    for name, member in value.items():
        if isinstance(member, str) and member is not MASK and isinstance(name, str) and is_secret_name(name):
            found.append(member)
            shown[name] = MASK
        else:
            inner = _apply(one for schema in schemas for one in schema.members(name)) if schemas else schemas
            shown[name] = _mask(member, inner, found)
    return value if all(shown[name] is member for name, member in value.items()) else shown


def _mask_items(value: list[Any], schemas: Sequence[Schema], found: list[Any]) -> list[Any]:
    positions = max((schema.positions for schema in schemas), default=0)
    parts = [_apply(one for schema in schemas for one in schema.items(index)) for index in range(positions + 1)]
    items = [_mask(item, parts[min(index, positions)], found) for index, item in enumerate(value)]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items


def _apply(schemas: Iterable[Schema]) -> list[Schema]:
    return [one for schema in schemas for one in schema.applied()]


def members_of(text: str) -> dict[str, Any] | None:
    """Return the members of a JSON object, or `None` if the text is not one."""
    try:
        data = loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


_BY_NAME = Veil({})


def with_redactor(tool: "Callee", arguments: str | Mapping[str, Any], context: "ToolContext") -> "ToolContext":
    """Return the context of a call with a redactor that knows the secrets of tool, arguments and context."""
    redactor = redactor_of(context)
    if context.redactor is None:
        context = context.replace(redactor=redactor)
    learn_arguments(redactor, tool, arguments)
    redactor.learn(*tool.own_secrets)
    if context.values:
        redactor.learn(*_secrets_of_values(context.values))
    return context


def redactor_of(context: "ToolContext") -> Redactor:
    """Return the redactor of a context, or a new one that knows the secrets in the environment."""
    return context.redactor or Redactor(outer=redactor_of_environment())


def reading_redactor(context: "ToolContext") -> Redactor:
    """Return a redactor with the secrets of a context, for redacting texts only; do not register secrets with it."""
    return context.redactor or environment_redactor()


def learn_parsed(context: "ToolContext", parsed: Any) -> None:
    """Register the secrets that only the parsed arguments of a call contain, such as defaults."""
    if context.redactor is not None:
        context.redactor.learn(*secrets_within(parsed))


def learn_arguments(redactor: Redactor, tool: "Callee", arguments: str | Mapping[str, Any]) -> None:
    """Register the secrets among the arguments of a tool, recognised by schema, name and type."""
    data = members_of(arguments) if isinstance(arguments, str) else arguments
    if not data:
        return
    if not isinstance(arguments, str):
        redactor.learn(*secrets_within(dict(arguments)))
    try:
        if hidden := tool.veil.hidden_in(data):
            redactor.learn(*texts_within(hidden))
        if redactor.names:
            redactor.learn(*_texts_under(data, redactor.names))
    except RecursionError:  # the call will fail for the same reason without showing anything
        return


def _secrets_of_values(values: Mapping[str, Any]) -> list[str]:
    """Return the secrets among the values of a context, without inspecting objects that are not plain data."""
    plain = {name: value for name, value in values.items() if _is_plain(value) or hasattr(value, "get_secret_value")}
    return [*secrets_within(plain), *texts_within(_BY_NAME.hidden_in(plain))]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | dict | list | tuple | MappingProxyType)


def _texts_under(data: Any, names: frozenset[str]) -> list[str]:
    """Return the texts of members with certain names, at any depth."""
    if isinstance(data, list):
        return [text for one in data for text in _texts_under(one, names)]
    if not isinstance(data, Mapping):
        return []
    found: list[str] = []
    for name, value in data.items():
        is_named = isinstance(name, str) and name.lower() in names
        found += texts_within(value) if is_named else _texts_under(value, names)
    return found


_OMITTED: Final = object()
"""Stands for an argument that was filled in by parsing."""


def restore_secrets(edited: str | Mapping[str, Any], shown: Mapping[str, Any], sent: str) -> str:
    """Return edited arguments as JSON text, with the original value for every mask, and for all that is unchanged.

    Args:
        edited: The arguments as edited by the reviewer.
        shown: The arguments as shown to the reviewer, with secrets masked.
        sent: The arguments as received.

    Raises:
        ToolArgumentsError: If it is not certain what a mask in the edited arguments stands for.
    """
    text = freeze_as_json(edited)
    new, old = members_of(text), members_of(sent or "{}")
    if new is not None and old is not None:
        restored: str = dumps(_restored_members(new, dict(shown), old, "the arguments"))
        return restored
    if new is not None and is_same(new, shown):
        return sent
    if MASK in text and MASK in dumps(shown) and text != sent:
        raise _unclear("the text")
    return text


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON: 1, 1.0 and true differ, but the order of members is ignored."""
    return _key(one) == _key(other)


def _key(value: Any) -> str:
    key: str = dumps(value, default=repr, sort_keys=True)
    return key


def _has_mask(value: Any) -> bool:
    return MASK in _key(value)


def _unclear(place: str) -> ToolArgumentsError:
    return ToolArgumentsError(
        f"It is not clear what {MASK} stands for in {place}; write the whole value, or leave {place} as it was shown"
    )


def _restored(edited: Any, shown: Any, sent: Any, place: str) -> Any:
    """Return an edited value with the original value for every mask, and for all that is unchanged.

    Args:
        edited: The value as edited.
        shown: The value that was shown at this place.
        sent: The value that was received at this place, or `_OMITTED`.
        place: The name of the place, for the error message.
    """
    if isinstance(edited, dict) and isinstance(shown, dict) and isinstance(sent, dict):
        return _restored_members(edited, shown, sent, place)
    is_hidden = _has_mask(edited)
    if is_same(edited, shown):
        return sent if is_hidden or sent is not _OMITTED else edited
    if not is_hidden:
        return edited
    if sent is not _OMITTED and _has_mask(shown) and is_same(shown, sent):
        return edited  # nothing was hidden here: what was received contains the text of a mask
    if isinstance(edited, list) and isinstance(shown, list) and isinstance(sent, list) and _may_show(shown, sent):
        return _restored_items(edited, shown, sent, place)
    raise _unclear(place)


def _restored_members(
    edited: dict[str, Any], shown: dict[str, Any], sent: dict[str, Any], place: str
) -> dict[str, Any]:
    if any(MASK in name and name not in sent for name in edited):  # the names themselves were masked
        if is_same(edited, shown):
            return sent
        raise _unclear(f"the names in {place}")
    whole = {
        name: _restored(value, shown.get(name, _OMITTED), sent.get(name, _OMITTED), f"'{name}'")
        for name, value in edited.items()
    }
    return {name: value for name, value in whole.items() if value is not _OMITTED}


def _restored_items(edited: list[Any], shown: list[Any], sent: list[Any], place: str) -> list[Any]:
    """Return an edited list in which each item with a mask is one that was shown, or the only one that was changed.

    Items that look the same but hide different values must all be there, in a list in which nothing was moved.
    """
    now, before = [_key(item) for item in edited], [_key(item) for item in shown]
    both = set(now) & set(before)
    keeps_order = [key for key in now if key in both] == [key for key in before if key in both]
    keeps_others = _is_part_of(now, before) or _is_part_of(before, now)
    whole, changed = list(edited), []
    for key in dict.fromkeys(key for key in now if MASK in key):
        to, of = _positions(key, now), _positions(key, before)
        if not of:
            changed += to
        elif len(to) <= len(of) and len({_key(sent[index]) for index in of}) == 1:
            whole = _with_items(whole, to, [sent[of[0]]] * len(to))
        elif len(to) == len(of) and keeps_order and (to == of or keeps_others):
            whole = _with_items(whole, to, [sent[index] for index in of])
        else:
            raise _unclear(place)
    if changed:
        left = [index for index, key in enumerate(before) if MASK in key and key not in now]
        if not (len(changed) == len(left) == 1 and keeps_order and _count_masked(now) == _count_masked(before)):
            raise _unclear(place)
        [to_one], [of_one] = changed, left
        whole[to_one] = _restored(edited[to_one], shown[of_one], sent[of_one], place)
    return whole


def _is_part_of(keys: list[str], whole: list[str]) -> bool:
    """Return whether a list remains of another if some of its items are removed."""
    rest = iter(whole)
    return all(key in rest for key in keys)


def _positions(key: str, keys: list[str]) -> list[int]:
    return [index for index, other in enumerate(keys) if other == key]


def _with_items(items: list[Any], positions: list[int], values: list[Any]) -> list[Any]:
    new = dict(zip(positions, values, strict=True))
    return [new.get(index, item) for index, item in enumerate(items)]


def _count_masked(keys: list[str]) -> int:
    return sum(MASK in key for key in keys)


def _may_show(shown: Any, sent: Any) -> bool:
    """Return whether a value is what a reviewer is shown of another; parsing can have moved or rewritten its parts."""
    if not _has_mask(shown):
        return is_same(shown, sent)
    if isinstance(shown, dict) and isinstance(sent, dict):
        return all(name not in sent or _may_show(value, sent[name]) for name, value in shown.items())
    if isinstance(shown, list) and isinstance(sent, list):
        return len(shown) == len(sent) and all(map(_may_show, shown, sent))
    if shown == MASK:
        return True
    pattern = ".+".join(map(re.escape, str(shown).split(MASK)))
    return isinstance(sent, str) and re.fullmatch(pattern, sent, re.DOTALL) is not None

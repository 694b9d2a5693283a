"""Restores the secrets in arguments that a reviewer has edited, and that were masked when they were shown.

Everything else is taken exactly as it was edited. A mask stands for the value that it hid, which is found by the
names of the members around it. In a list, items can be moved, added and removed, so a mask is only restored if no other
hidden value could be meant; otherwise the edit is refused.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from toolkit.errors import ToolArgumentsError
from toolkit.redactors.redactor import MASK
from toolkit.tools.json_data import dumps, freeze_as_json
from toolkit.tools.secret_arguments import members_of

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

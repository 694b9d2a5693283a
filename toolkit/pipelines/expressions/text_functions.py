"""Functions on strings, lists and mappings, and for missing values."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from toolkit.pipelines.expressions.json_values import (
    MAX_ITEMS,
    Unfit,
    check_count,
    check_length,
    checked_key,
    kind_of,
    sorted_json_of,
)
from toolkit.pipelines.expressions.number_functions import comparable, list_in, text_in
from toolkit.pipelines.expressions.operators import contains as is_in

MAX_STRIPPED = 100
LINE_BREAK = r"\r\n|\r|\n"


def lowered(text: Any) -> str:
    """Return a string in lower case."""
    return _cased(text, "lower", str.lower)


def uppered(text: Any) -> str:
    """Return a string in upper case."""
    return _cased(text, "upper", str.upper)


def _cased(text: Any, function: str, change: Callable[[str], str]) -> str:
    check_length(len(text_in(text, function)))
    changed = change(text)
    check_length(len(changed))
    return changed


def stripped(text: Any, characters: Any = None) -> str:
    """Return a string without whitespace, or the given characters, at both ends."""
    if characters is None:
        return text_in(text, "strip").strip()
    if len(text_in(characters, "strip")) > MAX_STRIPPED:
        raise Unfit(f"strip takes at most {MAX_STRIPPED} characters to remove")
    return text_in(text, "strip").strip(characters)


def replaced(text: Any, old: Any, new: Any) -> str:
    """Return a string with every occurrence of `old` replaced by `new`."""
    whole, part, other = (text_in(value, "replace") for value in (text, old, new))
    check_length(len(whole) + whole.count(part) * max(0, len(other) - len(part)))
    return whole.replace(part, other)


def split(text: Any, separator: Any = None) -> list[str]:
    """Split a string at a separator, or at whitespace if there is no separator."""
    if separator == "":
        raise Unfit("the separator of split is empty", hint="[character for character in …] lists the characters")
    between = None if separator is None else text_in(separator, "split")
    return _count(text_in(text, "split").split(between, MAX_ITEMS + 1))


def lines(text: Any) -> list[str]:
    """Return the lines of a string without their line breaks. A line break at the end does not start another line."""
    parts = re.split(LINE_BREAK, text_in(text, "lines"), maxsplit=MAX_ITEMS + 1)
    return _count(parts if parts[-1] else parts[:-1])


def _count(items: list[str]) -> list[str]:
    check_count(len(items))
    return items


def joined(items: Any, separator: Any = "") -> str:
    """Join a list of strings with a separator."""
    texts = [text_in(item, "join") for item in list_in(items, "join")]
    between = text_in(separator, "join")
    check_length(sum(map(len, texts)) + len(between) * max(0, len(texts) - 1))
    return between.join(texts)


def starts_with(text: Any, start: Any) -> bool:
    """Return whether a string begins with another."""
    return text_in(text, "startswith").startswith(text_in(start, "startswith"))


def ends_with(text: Any, end: Any) -> bool:
    """Return whether a string ends with another."""
    return text_in(text, "endswith").endswith(text_in(end, "endswith"))


def now() -> str:
    """Return the current time in UTC, such as `2026-11-21T08:30:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_MISSING: Any = object()


def length(value: Any) -> int:
    """Return the number of characters, items or entries."""
    if isinstance(value, (str, list, tuple, Mapping)):
        return len(value)
    raise Unfit(f"{kind_of(value)} has no length")


def any_of(items: Any) -> bool:
    """Return whether any item of a list is true."""
    return any(list_in(items, "any"))


def all_of(items: Any) -> bool:
    """Return whether all items of a list are true."""
    return all(list_in(items, "all"))


def sorted_items(items: Any, key: Any = None, reverse: Any = None) -> list[Any]:
    """Return the sorted items of a list. With `key`, the items are mappings, sorted by their value for that key."""
    if reverse is not None and not isinstance(reverse, bool):
        raise Unfit(f"sorted takes true or false for 'reverse', not {kind_of(reverse)}")
    listed = list_in(items, "sorted")
    if key is None:
        return sorted(comparable(listed, "sorted"), reverse=bool(reverse))
    name = text_in(key, "sorted")
    ranks = comparable([_value_under(item, name) for item in listed], "sorted")
    order = sorted(range(len(listed)), key=ranks.__getitem__, reverse=bool(reverse))
    return [listed[index] for index in order]


def _value_under(item: Any, name: str) -> Any:
    if isinstance(item, Mapping) and name in item:
        return item[name]
    raise Unfit(f"sorted by '{name[:80]}' needs mappings with that key, but one item is {kind_of(item)} without it")


def unique(items: Any) -> list[Any]:
    """Return the items without duplicates, in order of first occurrence. Items are compared as JSON: true is not 1."""
    seen: dict[Any, Any] = {}
    for item in list_in(items, "unique"):
        nested = isinstance(item, (list, tuple, Mapping))
        seen.setdefault(sorted_json_of(item) if nested else (type(item), item), item)
    return list(seen.values())


def first(items: Any, default: Any = _MISSING) -> Any:
    """Return the first item of a list, or the default if the list is empty."""
    return _end_of(items, 0, "first", default)


def last(items: Any, default: Any = _MISSING) -> Any:
    """Return the last item of a list, or the default if the list is empty."""
    return _end_of(items, -1, "last", default)


def _end_of(items: Any, index: int, function: str, default: Any) -> Any:
    listed = list_in(items, function)
    if listed:
        return listed[index]
    if default is _MISSING:
        raise Unfit(f"{function} of an empty list", hint=f"set a default: {function}(…, default)")
    return default


def keys(mapping: Any) -> list[str]:
    """Return the keys of a mapping."""
    return list(_mapping(mapping, "keys"))


def values_of(mapping: Any) -> list[Any]:
    """Return the values of a mapping."""
    return list(_mapping(mapping, "values").values())


def _mapping(value: Any, function: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise Unfit(f"{function} takes a mapping, not {kind_of(value)}")


def get(container: Any, key: Any, default: Any = None) -> Any:
    """Return the value for a key or index, or the default if it is missing or the container is null."""
    if container is None:
        return default
    if isinstance(container, Mapping):
        return container.get(checked_key(key), default)
    if isinstance(container, (list, tuple)):
        if isinstance(key, bool) or not isinstance(key, int):
            raise Unfit(f"an index must be a whole number, not {kind_of(key)}")
        return container[key] if -len(container) <= key < len(container) else default
    raise Unfit(f"get takes a mapping or a list, not {kind_of(container)}")


def contains(container: Any, item: Any) -> bool:
    """Return whether a list contains an item, a mapping a key, or a string another string."""
    return is_in(item, container)


def default(value: Any, fallback: Any) -> Any:
    """Return the value, or the fallback if it is null."""
    return fallback if value is None else value

"""Functions on lists and mappings, and for missing values."""

from collections.abc import Mapping
from typing import Any

from toolkit.pipelines.expressions.argument_types import comparable, list_in, text_in
from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import checked_key, kind_of, sorted_json_of
from toolkit.pipelines.expressions.operators import contains as is_in

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

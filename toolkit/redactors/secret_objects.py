"""Finds the values of `SecretStr` and `SecretBytes` inside other objects."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

_PLAIN = (
    str, bytes, bytearray, int, float, type(None), type, FunctionType, BuiltinFunctionType, CodeType, ModuleType,
)  # fmt: skip
_MOST_OBJECTS = 1_000


def secrets_within(value: Any) -> Iterator[str]:
    """Yield the values of all secrets inside an object: in containers, dataclasses, models and plain objects."""
    seen: set[int] = set()
    waiting = deque([value])  # breadth first: the limit then keeps the outer objects
    while waiting and len(seen) < _MOST_OBJECTS:
        one = waiting.popleft()
        if isinstance(one, _PLAIN) or id(one) in seen:
            continue
        seen.add(id(one))
        if (revealed := _revealed(one)) is not None:
            yield from texts_within(revealed)
        else:
            waiting += _parts_of(one)


def texts_within(value: Any) -> Iterator[str]:
    """Yield every string in the value of a secret, which may be a string or nested data."""
    if isinstance(value, bytes):
        yield value.decode("utf-8", "surrogateescape")
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from texts_within(one)


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict | MappingProxyType):  # reading another kind of mapping may run any code
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    names = ["__dict__", *(name for kind in type(value).__mro__ for name in _slots_of(kind))]
    return [_result_or_none(partial(getattr, value, name, None)) for name in names]


def _slots_of(kind: type) -> Iterable[str]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def _revealed(value: Any) -> Any:
    """Return the result of an object's `get_secret_value`, as pydantic's secrets have it, or None."""
    reveal = _result_or_none(partial(getattr, type(value), "get_secret_value", None))
    return None if reveal is None else _result_or_none(partial(reveal, value))


def _result_or_none(function: Callable[[], Any]) -> Any:
    """Return the result of a function, or None if it raises: any class may have attributes with these names."""
    try:
        return function()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a user's code may raise anything, SystemExit too
        return None

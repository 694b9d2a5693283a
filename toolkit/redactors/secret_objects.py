"""Secret objects: the values that `SecretStr` and `SecretBytes` hold, wherever they lie inside other objects."""

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
    waiting = deque([value])  # what lies near is looked at first
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
    """Yield every text in a secret, which may be one, or data made of several."""
    if isinstance(value, bytes):
        yield value.decode("utf-8", "surrogateescape")
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from texts_within(one)


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict | MappingProxyType):  # a mapping of another kind may do anything when it is looked into
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    names = ["__dict__", *(name for kind in type(value).__mro__ for name in _slots_of(kind))]
    return [_answer(partial(getattr, value, name, None)) for name in names]


def _slots_of(kind: type) -> Iterable[str]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def _revealed(value: Any) -> Any:
    """Return what an object hides behind `get_secret_value`, as those of pydantic do, or None."""
    reveal = _answer(partial(getattr, type(value), "get_secret_value", None))
    return None if reveal is None else _answer(partial(reveal, value))


def _answer(ask: Callable[[], Any]) -> Any:
    """Return what an object answers, or None where it raises: any class may have such names."""
    try:
        return ask()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a user's code may raise anything, SystemExit too
        return None

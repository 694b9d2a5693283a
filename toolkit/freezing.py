"""Makes immutable copies of plain data that still read, compare and serialize like the original."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, SupportsIndex

_DICTS = (dict, OrderedDict, defaultdict)


def freeze(data: Any) -> Any:
    """Return an immutable copy of plain data, including nested mappings, lists and sets at any depth.

    Objects that are not plain data are kept as they are. A frozen mapping is a `dict` and a frozen list is a `list`, so
    reading, comparing and JSON work as usual. `copy()` and `deepcopy` return ordinary, mutable ones.
    """
    copies: _Copies = {}
    pending: list[tuple[Any, FrozenDict | FrozenList]] = []
    frozen = _start_copy(data, copies, pending)
    while pending:
        source, copy = pending.pop()
        if isinstance(copy, FrozenDict):
            for key, value in source.items():
                dict.__setitem__(copy, key, _start_copy(value, copies, pending))
        else:
            list.extend(copy, [_start_copy(item, copies, pending) for item in source])
    return frozen


def freeze_plain(data: Any) -> Any:
    """Freeze a shallow tree of dicts, lists and tuples that is not referenced from anywhere else.

    This is faster than `freeze`, but recursive, and without support for shared or circular references.
    """
    kind = type(data)
    if kind is dict:
        return FrozenDict({key: freeze_plain(value) for key, value in data.items()})
    if kind is list:
        return FrozenList(map(freeze_plain, data))
    return tuple(map(freeze_plain, data)) if kind is tuple else data


def freeze_mapping(data: Mapping[str, Any]) -> "FrozenDict":
    """Return an immutable copy of a mapping of any type; a frozen one is returned as it is."""
    frozen: FrozenDict = data if isinstance(data, FrozenDict) else freeze(dict(data))
    return frozen


def _start_copy(data: Any, copies: "_Copies", pending: list[Any]) -> Any:
    """Return a frozen copy; a mapping or a list is still empty, and is added to `pending` to be filled."""
    kind = type(data)
    if kind is tuple:
        return tuple(_start_copy(item, copies, pending) for item in data)
    if kind not in _DICTS and kind is not list:
        return frozenset(data) if kind is set else data
    if id(data) not in copies:
        copies[id(data)] = copy = FrozenList() if kind is list else FrozenDict()
        pending.append((data, copy))
    return copies[id(data)]


def _thaw(data: Any) -> Any:
    if isinstance(data, FrozenDict):
        return {key: _thaw(value) for key, value in data.items()}
    if isinstance(data, FrozenList):
        return [_thaw(item) for item in data]
    return tuple(_thaw(item) for item in data) if type(data) is tuple else data


def _refuse(self: object, *_: Any, **__: Any) -> NoReturn:
    raise TypeError(f"this {type(self).__bases__[0].__name__} is frozen; change a copy instead: copy.deepcopy(…)")


class FrozenDict(dict[str, Any]):
    """An immutable dict of immutable values."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none
        """Return the same hash for equal dicts; every value must have one."""
        return hash(frozenset(self.items()))

    def __deepcopy__(self, _: Any) -> dict[str, Any]:
        """Return an ordinary dict of ordinary data."""
        copy: dict[str, Any] = _thaw(self)
        return copy

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Support pickling; the unpickled copy is frozen too."""
        return freeze, (_thaw(self),)


NO_VALUES = FrozenDict()


class FrozenList(list[Any]):
    """An immutable list of immutable items."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # a list has none
        """Return the same hash for equal lists; every item must have one."""
        return hash(tuple(self))

    def __deepcopy__(self, _: Any) -> list[Any]:
        """Return an ordinary list of ordinary data."""
        copy: list[Any] = _thaw(self)
        return copy

    def __reduce_ex__(self, _: SupportsIndex) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Support pickling; the unpickled copy is frozen too."""
        return freeze, (_thaw(self),)


_Copies = dict[int, FrozenDict | FrozenList]

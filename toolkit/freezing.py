"""Freezing: plain data that nobody can change, and that is still read, compared and written as what it was."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, SupportsIndex

_DICTS = (dict, OrderedDict, defaultdict)


def freeze(data: Any) -> Any:
    """Return plain data as a copy that never changes: mappings and lists in it too, and sets, however deep they are.

    What is not plain data stays the object that it is. A frozen mapping is a `dict` and a frozen list a `list`, so that
    both compare, read and become JSON as usual; `copy()` and `deepcopy` give an ordinary one, which can be changed.
    """
    copies: _Copies = {}
    pending: list[tuple[Any, FrozenDict | FrozenList]] = []
    frozen = _begun(data, copies, pending)
    while pending:
        source, copy = pending.pop()
        if isinstance(copy, FrozenDict):
            for key, value in source.items():
                dict.__setitem__(copy, key, _begun(value, copies, pending))
        else:
            list.extend(copy, [_begun(item, copies, pending) for item in source])
    return frozen


def freeze_plain(data: Any) -> Any:
    """Return plain data frozen, which is a tree of dicts, lists and tuples that nobody else holds, and not deep."""
    kind = type(data)
    if kind is dict:
        return FrozenDict({key: freeze_plain(value) for key, value in data.items()})
    if kind is list:
        return FrozenList(map(freeze_plain, data))
    return tuple(map(freeze_plain, data)) if kind is tuple else data


def freeze_mapping(data: Mapping[str, Any]) -> "FrozenDict":
    """Return a mapping of any type, frozen."""
    frozen: FrozenDict = data if isinstance(data, FrozenDict) else freeze(dict(data))
    return frozen


def _begun(data: Any, copies: "_Copies", pending: list[Any]) -> Any:
    """Return a frozen copy, still empty if it is a mapping or a list; those are pending until they are filled."""
    kind = type(data)
    if kind is tuple:
        return tuple(_begun(item, copies, pending) for item in data)
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
    raise TypeError(f"this {type(self).__bases__[0].__name__} never changes; change a copy of it: copy.deepcopy(…)")


class FrozenDict(dict[str, Any]):
    """A dict that never changes, with values that never change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, _: Any) -> dict[str, Any]:
        """Return an ordinary dict of ordinary data."""
        copy: dict[str, Any] = _thaw(self)
        return copy

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Let it be pickled, to become a frozen one again."""
        return freeze, (_thaw(self),)


NO_VALUES = FrozenDict()


class FrozenList(list[Any]):
    """A list that never changes, with items that never change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, _: Any) -> list[Any]:
        """Return an ordinary list of ordinary data."""
        copy: list[Any] = _thaw(self)
        return copy

    def __reduce_ex__(self, _: SupportsIndex) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Let it be pickled, to become a frozen one again."""
        return freeze, (_thaw(self),)


_Copies = dict[int, FrozenDict | FrozenList]

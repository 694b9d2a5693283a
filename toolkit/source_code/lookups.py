"""Memoize lookups that depend on each other, with results that do not depend on the order of the lookups.

A lookup that reaches one in progress finds nothing there, which ends cycles. So of all lookups in a cycle, only the
first has the complete result; the others have a part of it. Each of those is repeated, as the first one, when it is
requested itself (the cycles are the strongly connected components of R. E. Tarjan, 1972).
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

Result = tuple[Any, ...]


class _Part(NamedTuple):
    """An incomplete result, found while a lookup that it depends on was in progress at the depth `rests_on`."""

    result: Result
    rests_on: int


class _Whole(NamedTuple):
    """The complete result of the first lookup in a cycle, and all lookups in the cycle."""

    result: Result
    circle: frozenset[Hashable]


class Lookups:
    """Memoizes the results of lookups."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Result] = {}
        self._wholes: dict[Hashable, _Whole] = {}
        self._parts: dict[Hashable, _Part] = {}
        self._open: list[Hashable] = []
        self._under_way: dict[Hashable, int] = {}
        self._rest_on: list[int] = []

    def find(self, key: Hashable, look: Callable[[], Result]) -> Result:
        """Return the result for a key, calling `look` if it is not known yet."""
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._under_way:
            return self._resting_on(self._under_way[key], ())
        if key in self._parts:
            return self._resting_on(self._parts[key].rests_on, self._parts[key].result)
        whole = self._wholes.get(key)
        if whole is not None and whole.circle.isdisjoint(self._under_way):
            return whole.result
        return self._found(key, look)

    def _resting_on(self, depth: int, result: Result) -> Result:
        self._rest_on[-1] = min(self._rest_on[-1], depth)
        return result

    def _found(self, key: Hashable, look: Callable[[], Result]) -> Result:
        depth, before = len(self._rest_on), len(self._open)
        self._under_way[key] = depth
        self._rest_on.append(depth)
        try:
            result = look()
        finally:
            del self._under_way[key]
            rests_on = self._rest_on.pop()
            inner = self._closed(before) if rests_on >= depth else []
            if rests_on < depth:
                self._resting_on(rests_on, ())
        if rests_on < depth:
            self._parts[key] = _Part(result, rests_on)
            self._open.append(key)
        elif inner:
            self._wholes[key] = _Whole(result, frozenset([key, *inner]))
        else:
            self._known[key] = result
        return result

    def _closed(self, before: int) -> list[Hashable]:
        """Remove the incomplete results of a finished cycle, and return their keys."""
        inner = self._open[before:]
        del self._open[before:]
        for one in inner:
            del self._parts[one]
        return inner

"""Lookups: results that rest on one another, each found once, and the same in whatever order they are asked for.

A lookup that comes back to one that is under way finds nothing there, so that a circle ends. So of all lookups in a
circle only the first finds the whole, the others a part of it. Each of them is looked up anew, as the first, when it is
asked for by itself (the circles are the strongly connected components of R. E. Tarjan, 1972).
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

Result = tuple[Any, ...]


class _Part(NamedTuple):
    """What was found while a lookup was under way that it rests on; `rests_on` is the depth of that one."""

    result: Result
    rests_on: int


class _Whole(NamedTuple):
    """What the first lookup in a circle found, and all lookups in the circle."""

    result: Result
    circle: frozenset[Hashable]


class Lookups:
    """Remembers what was found."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[Hashable, Result] = {}
        self._wholes: dict[Hashable, _Whole] = {}
        self._parts: dict[Hashable, _Part] = {}
        self._open: list[Hashable] = []
        self._under_way: dict[Hashable, int] = {}
        self._rest_on: list[int] = []

    def find(self, key: Hashable, look: Callable[[], Result]) -> Result:
        """Return what stands for a key: what was found for it before, or else what `look` finds."""
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
        """Forget the parts of a circle that has been gone round, and return their keys."""
        inner = self._open[before:]
        del self._open[before:]
        for one in inner:
            del self._parts[one]
        return inner

"""The blackboard: objects that the tools of a run share."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One object on a blackboard, with the name it is bound to, if any."""

    thing: Any
    name: str | None = None
    types: tuple[str, ...] = field(init=False)
    """The names of its type and of all base types except `object`, both with and without the module."""

    def __post_init__(self) -> None:
        """Collect the names of its types."""
        kinds = [kind for kind in type(self.thing).__mro__ if kind is not object] or [object]
        names = [name for kind in kinds for name in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}")]
        object.__setattr__(self, "types", tuple(dict.fromkeys(names)))

    def is_a(self, kind: type | str) -> bool:
        """Return whether the object is an instance of a type, given as the class or by name."""
        return isinstance(self.thing, kind) if isinstance(kind, type) else kind in self.types


class Blackboard:
    """Objects in the order in which they were added, optionally bound to names. It is thread-safe.

    If a name is bound again, it refers to the newer object; the older one stays on the blackboard without a name.
    Hidden objects stay on the blackboard but are no longer returned.
    """

    def __init__(self, around: "Blackboard | None" = None) -> None:
        """Create an empty blackboard.

        Args:
            around: An outer blackboard, whose objects are visible from this one.
        """
        self._around = around
        self._own: list[Entry] = []
        self._hidden: list[Any] = []
        self._lock = threading.Lock()

    def add(self, thing: Any, *, name: str | None = None) -> None:
        """Add an object and optionally bind it to a name."""
        with self._lock:
            if name is not None:
                self._own = [Entry(one.thing) if one.name == name else one for one in self._own]
            self._own.append(Entry(thing, name))

    def hide(self, thing: Any) -> None:
        """Hide an object, so that it is no longer returned."""
        with self._lock:
            self._hidden.append(thing)

    def entries(self) -> list[Entry]:
        """Return the visible entries, oldest first."""
        with self._lock:
            own, hidden = list(self._own), list(self._hidden)
        bound = {one.name for one in own if one.name is not None}
        around = self._around.entries() if self._around is not None else []
        seen = [Entry(one.thing) if one.name in bound else one for one in around] + own
        return [one for one in seen if not any(one.thing is thing for thing in hidden)]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the object that a name is bound to, or the default."""
        return next((one.thing for one in self.entries() if one.name == name), default)

    def __contains__(self, name: object) -> bool:
        """Return whether a name is bound."""
        return any(one.name == name for one in self.entries() if one.name is not None)

    def __iter__(self) -> Iterator[Any]:
        """Return the visible objects, oldest first."""
        return iter([one.thing for one in self.entries()])

    def __len__(self) -> int:
        """Return the number of visible objects."""
        return len(self.entries())

    def all(self, kind: type | str) -> list[Any]:
        """Return all objects of a type, given as the class or by its name, with or without the module."""
        return [one.thing for one in self.entries() if one.is_a(kind)]

    def last(self, kind: type | str, default: Any = None) -> Any:
        """Return the newest object of a type, or the default."""
        found = self.all(kind)
        return found[-1] if found else default

    def count(self, kind: type | str) -> int:
        """Return the number of objects of a type."""
        return len(self.all(kind))

    def spawn(self) -> "Blackboard":
        """Return an inner blackboard. Objects of this one are visible there, but its additions are not visible here."""
        return Blackboard(self)

    def absorb(self, inner: "Blackboard") -> None:
        """Move the objects of an inner blackboard to this one, with their names and in order."""
        with inner._lock:  # noqa: SLF001 - the same class
            added, hidden = inner._own, inner._hidden  # noqa: SLF001
            inner._own, inner._hidden = [], []  # noqa: SLF001
        for one in added:
            self.add(one.thing, name=one.name)
        for thing in hidden:
            self.hide(thing)

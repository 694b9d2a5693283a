"""The blackboard: what the tools of one run know in common."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One object on a blackboard, and the name it was bound to, if it was."""

    thing: Any
    name: str | None = None
    types: tuple[str, ...] = field(init=False)
    """The names of its type and of all its supertypes but `object`, each alone and with its module."""

    def __post_init__(self) -> None:
        """Read off what it is."""
        kinds = [kind for kind in type(self.thing).__mro__ if kind is not object] or [object]
        names = [name for kind in kinds for name in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}")]
        object.__setattr__(self, "types", tuple(dict.fromkeys(names)))

    def is_a(self, kind: type | str) -> bool:
        """Return whether it is of a type, given as the class or by a name of it."""
        return isinstance(self.thing, kind) if isinstance(kind, type) else kind in self.types


class Blackboard:
    """Objects in the order they came, some bound to a name; safe to use from several threads.

    A name bound again means the newer object; the older one stays as one without a name. What is hidden stays, and
    nobody sees it.
    """

    def __init__(self, around: "Blackboard | None" = None) -> None:
        """Begin empty; everything on the blackboard `around` this one is seen from here."""
        self._around = around
        self._own: list[Entry] = []
        self._hidden: list[Any] = []
        self._lock = threading.Lock()

    def add(self, thing: Any, *, name: str | None = None) -> None:
        """Add an object, under a name if one is given."""
        with self._lock:
            if name is not None:
                self._own = [Entry(one.thing) if one.name == name else one for one in self._own]
            self._own.append(Entry(thing, name))

    def hide(self, thing: Any) -> None:
        """Let nobody see an object any more."""
        with self._lock:
            self._hidden.append(thing)

    def entries(self) -> list[Entry]:
        """Return what can be seen, the oldest first."""
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
        """Return the objects, the oldest first."""
        return iter([one.thing for one in self.entries()])

    def __len__(self) -> int:
        """Return how many objects can be seen."""
        return len(self.entries())

    def all(self, kind: type | str) -> list[Any]:
        """Return every object of a type, given as the class, by its name, or by its name with the module."""
        return [one.thing for one in self.entries() if one.is_a(kind)]

    def last(self, kind: type | str, default: Any = None) -> Any:
        """Return the newest object of a type, or the default."""
        found = self.all(kind)
        return found[-1] if found else default

    def count(self, kind: type | str) -> int:
        """Return how many objects of a type there are."""
        return len(self.all(kind))

    def spawn(self) -> "Blackboard":
        """Return an inner blackboard, from which everything here is seen, and whose additions are not seen here."""
        return Blackboard(self)

    def absorb(self, inner: "Blackboard") -> None:
        """Take over what was added to an inner blackboard, with the names, in order; it is seen there from here."""
        with inner._lock:  # noqa: SLF001 - one of its own kind
            added, hidden = inner._own, inner._hidden  # noqa: SLF001
            inner._own, inner._hidden = [], []  # noqa: SLF001
        for one in added:
            self.add(one.thing, name=one.name)
        for thing in hidden:
            self.hide(thing)

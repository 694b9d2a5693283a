"""Measures how long, and counts how often, calls wait for answers, so that this time does not count as work."""

from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from toolkit.events import Event, Listener

_LOCK = Lock()


class Waiting:
    """Measures how long at least one question was open, in a call or the calls inside it.

    Enter this context manager for each question. Questions that are open at the same time, as in parallel branches,
    count once.
    """

    __slots__ = ("_around", "_open", "_seconds", "_since")

    def __init__(self, around: "Waiting | None" = None) -> None:
        """Start at zero; `around` measures the outer call, to which the time is added too."""
        self._around = around
        self._open = 0
        self._seconds = 0.0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        """The waiting time so far, in seconds."""
        return self._seconds

    def __enter__(self) -> Self:
        with _LOCK:
            self._change(1, perf_counter())
        return self

    def __exit__(self, *_: object) -> None:
        with _LOCK:
            self._change(-1, perf_counter())

    def _change(self, by: int, now: float) -> None:
        if self._open:
            self._seconds += now - self._since
        self._since = now
        self._open += by
        if self._around is not None:
            self._around._change(by, now)  # noqa: SLF001 - the same class

    def worked_since(self, started: float) -> float:
        """Return the seconds since `started`, excluding waiting time."""
        return perf_counter() - started - self._seconds


class Counting:
    """A listener that counts questions and passes all events to another listener."""

    __slots__ = ("_listener", "asked", "wants_pieces")

    def __init__(self, listener: "Listener") -> None:
        self._listener = listener
        self.wants_pieces = getattr(listener, "wants_pieces", True)
        self.asked = 0

    def __call__(self, event: "Event") -> None:
        if event.kind == "approval_asked":
            self.asked += 1
        self._listener(event)

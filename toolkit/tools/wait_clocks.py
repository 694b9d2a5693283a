"""Wait clocks: how often and how long somebody was waited for, so that it counts as nobody's work."""

from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from toolkit.events import Event, Listener

_LOCK = Lock()


class Waiting:
    """Measures the seconds in which at least one question was open, here or in a call inside this one.

    Questions that are open at the same time, as in parallel branches, count once. Entered for each question.
    """

    __slots__ = ("_around", "_open", "_seconds", "_since")

    def __init__(self, around: "Waiting | None" = None) -> None:
        """Begin with nothing; `around` is that of the call round this one, for which it counts too."""
        self._around = around
        self._open = 0
        self._seconds = 0.0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return self._seconds

    def __enter__(self) -> Self:
        """Begin to wait."""
        with _LOCK:
            self._change(1, perf_counter())
        return self

    def __exit__(self, *_: object) -> None:
        """Go on."""
        with _LOCK:
            self._change(-1, perf_counter())

    def _change(self, by: int, now: float) -> None:
        if self._open:
            self._seconds += now - self._since
        self._since = now
        self._open += by
        if self._around is not None:
            self._around._change(by, now)  # noqa: SLF001 - one of its own kind

    def worked_since(self, started: float) -> float:
        """Return the seconds since then, without those in which somebody was waited for."""
        return perf_counter() - started - self._seconds


class Counting:
    """A listener that counts the questions on their way to another listener."""

    __slots__ = ("_listener", "asked", "hears_pieces")

    def __init__(self, listener: "Listener") -> None:
        """Keep the listener that really receives events."""
        self._listener = listener
        self.hears_pieces = getattr(listener, "hears_pieces", True)
        self.asked = 0

    def __call__(self, event: "Event") -> None:
        if event.kind == "approval_asked":
            self.asked += 1
        self._listener(event)

"""Measures and reports calls: metrics, the time spent waiting for answers, and starts and finishes."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from math import inf
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from toolkit.events import CALLS, Event

if TYPE_CHECKING:
    from toolkit.events import Listener


NO_TAGS: Mapping[str, str] = {}


class Metrics:
    """Receives the metrics of tool calls and does nothing with them; subclasses override the methods.

    Every call records one `success`, `failure` or `error`, and then one `duration`. `agent` is the role in the context,
    `unknown` by default.
    """

    def success(self, tool: str, agent: str) -> None:
        """Count a successful call."""

    def failure(self, tool: str, agent: str) -> None:
        """Count a call with a failed result: invalid arguments, a rejection, or a failure that the tool returned."""

    def error(self, tool: str, agent: str) -> None:
        """Count a call that ended with an exception."""

    def duration(self, tool: str, agent: str, seconds: float) -> None:
        """Record the duration of a call in seconds, excluding time spent waiting for a person."""

    def count(self, metric: str, tool: str, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Increment a custom counter of the tool."""

    def value(self, metric: str, tool: str, number: float, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Record a custom value of the tool."""


NO_METRICS = Metrics()
"""Metrics that record nothing."""

Operation = Literal["success", "failure", "error", "duration", "count", "value"]


class Recorded(NamedTuple):
    """One recorded operation; `name` is the name of a custom metric."""

    operation: Operation
    tool: str
    agent: str = ""
    name: str = ""
    number: float = 1.0
    tags: Mapping[str, str] = NO_TAGS


class RecordingMetrics(Metrics):
    """Stores all recorded operations in order, in `records`; useful in tests."""

    def __init__(self) -> None:
        self.records: list[Recorded] = []

    def success(self, tool: str, agent: str) -> None:
        """Store a success."""
        self.records.append(Recorded("success", tool, agent))

    def failure(self, tool: str, agent: str) -> None:
        """Store a failure."""
        self.records.append(Recorded("failure", tool, agent))

    def error(self, tool: str, agent: str) -> None:
        """Store an error."""
        self.records.append(Recorded("error", tool, agent))

    def duration(self, tool: str, agent: str, seconds: float) -> None:
        """Store a duration."""
        self.records.append(Recorded("duration", tool, agent, number=seconds))

    def count(self, metric: str, tool: str, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Store a count of a custom counter."""
        self.records.append(Recorded("count", tool, name=metric, tags=tags))

    def value(self, metric: str, tool: str, number: float, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Store a custom value."""
        self.records.append(Recorded("value", tool, name=metric, number=number, tags=tags))

    def operations(self) -> list[tuple[str, str]]:
        """Return the names of the operations with their tools, for short assertions."""
        return [(record.operation, record.tool) for record in self.records]


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

    @property
    def seconds_left(self) -> float:
        """The time until the nearest time limit of this call or one around it, in seconds; infinite without one."""
        return inf if self._around is None else self._around.seconds_left

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


Started = Callable[[int], Event]
"""Creates the event for the start from the number of the call."""
Finished = Callable[[int, float], Event]
"""Creates the event for the finish from the number of the call and the duration in seconds."""

NO_REPORT: AbstractContextManager[int] = nullcontext(0)
"""Used instead of a `Report` if there is no listener."""


class Report:
    """A context manager that reports a start on entry and the finish on exit, however the block ends."""

    __slots__ = ("_began", "_call", "_emit", "_finished", "_started")

    def __init__(self, emit: Callable[[Event], None], started: Started, finished: Finished) -> None:
        self._emit = emit
        self._started = started
        self._finished = finished

    def __enter__(self) -> int:
        """Report the start; return the number of the call."""
        self._call = next(CALLS)
        self._emit(self._started(self._call))
        self._began = perf_counter()
        return self._call

    def __exit__(self, *_: object) -> None:
        self._emit(self._finished(self._call, perf_counter() - self._began))

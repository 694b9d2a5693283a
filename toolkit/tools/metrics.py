"""Metrics of tool calls. Subclass `Metrics` to send them to your own system."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

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

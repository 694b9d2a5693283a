"""Metrics: what is counted of every call. Subclass `Metrics` to send it where you want it."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

NO_TAGS: Mapping[str, str] = {}


class Metrics:
    """Six operations that count nothing. Every call records one of the first three and then one duration.

    `agent` is the role that the call was made for, `unknown` unless the context names one.
    """

    def success(self, tool: str, agent: str) -> None:
        """Count a call that did its work."""

    def failure(self, tool: str, agent: str) -> None:
        """Count a call that gave a failed result: bad arguments, a refusal, or the tool's own word."""

    def error(self, tool: str, agent: str) -> None:
        """Count a call that ended in an exception."""

    def duration(self, tool: str, agent: str, seconds: float) -> None:
        """Record how long a call took, in seconds, without the waiting for a person."""

    def count(self, metric: str, tool: str, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Add one to a counter of the tool's own."""

    def value(self, metric: str, tool: str, number: float, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Record a number of the tool's own."""


NO_METRICS = Metrics()
"""Metrics that count nothing."""

Operation = Literal["success", "failure", "error", "duration", "count", "value"]


class Recorded(NamedTuple):
    """One thing that was recorded; `name` is the metric's name where it is the tool's own."""

    operation: Operation
    tool: str
    agent: str = ""
    name: str = ""
    number: float = 1.0
    tags: Mapping[str, str] = NO_TAGS


class RecordingMetrics(Metrics):
    """Keeps everything in the order in which it was recorded, in `records`."""

    def __init__(self) -> None:
        """Begin with nothing recorded."""
        self.records: list[Recorded] = []

    def success(self, tool: str, agent: str) -> None:
        """Keep a success."""
        self.records.append(Recorded("success", tool, agent))

    def failure(self, tool: str, agent: str) -> None:
        """Keep a failure."""
        self.records.append(Recorded("failure", tool, agent))

    def error(self, tool: str, agent: str) -> None:
        """Keep an error."""
        self.records.append(Recorded("error", tool, agent))

    def duration(self, tool: str, agent: str, seconds: float) -> None:
        """Keep a duration."""
        self.records.append(Recorded("duration", tool, agent, number=seconds))

    def count(self, metric: str, tool: str, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Keep a count of the tool's own."""
        self.records.append(Recorded("count", tool, name=metric, tags=tags))

    def value(self, metric: str, tool: str, number: float, tags: Mapping[str, str] = NO_TAGS) -> None:
        """Keep a number of the tool's own."""
        self.records.append(Recorded("value", tool, name=metric, number=number, tags=tags))

    def operations(self) -> list[tuple[str, str]]:
        """Return the operations with their tools, for a quick look."""
        return [(record.operation, record.tool) for record in self.records]

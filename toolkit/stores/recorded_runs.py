"""Recorded runs and their steps, as plain values."""

from typing import Any, Literal, NamedTuple

State = Literal["running", "completed", "failed", "interrupted", "killed", "cancelled", "waiting"]
"""The state of a run. A `waiting` run can be resumed once its questions are answered.
A `killed` run has not recorded its end, but its process no longer exists."""


class RecordedStep(NamedTuple):
    """One step of a run, or one item of a batch.

    Attributes:
        path: The path in the run.
        tool: The tool that it calls; empty if only its end was recorded, as for a whole item of a pipeline.
        status: How it ended; `None` if it has not ended.
        result: The result as JSON.
        arguments: The arguments as JSON, which may be truncated.
        began: When it began, in seconds since 1970; `None` if only its end was recorded.
        ended: When it ended, in seconds since 1970; `None` if it has not ended.
        may_repeat: Whether it can safely be repeated if it is unknown whether it has finished.
        is_whole: Whether the result is complete.
    """

    path: str
    tool: str
    status: str | None
    result: str | None
    arguments: str
    began: float | None
    ended: float | None
    may_repeat: bool
    is_whole: bool


class RecordedRun(NamedTuple):
    """One run.

    Attributes:
        number: The number in the journal or the store.
        id: The unique id.
        state: The state of the run.
        target: The target of the run, as the user named it.
        began: When it began, in seconds since 1970.
        ended: When it ended, in seconds since 1970; `None` if it has not ended.
        done: Number of steps or items that succeeded.
        failed: Number of steps or items that failed.
        of: Total number of steps or items; `None` if unknown.
        unit: What is counted: `steps` or `items`.
        error: Why the run failed, if it did.
        request: The data needed to run it again, without secrets, and the graph of its pipeline.
        definition: The digest of each file that defines the run.
        process: The number of the process that ran it last.
    """

    number: int
    id: str
    state: State
    target: str
    began: float
    ended: float | None
    done: int
    failed: int
    of: int | None
    unit: str
    error: str | None
    request: dict[str, Any]
    definition: dict[str, str]
    process: int

    @property
    def counted(self) -> str:
        """The number of finished steps or items in words, such as `14 of 20 steps` or `998 items`."""
        if self.of is not None:
            return f"{self.done:,} of {self.of:,} {self.unit}"
        return f"{self.done:,} {self.unit if self.done != 1 else self.unit.removesuffix('s')}"

    def as_record(self) -> dict[str, Any]:
        """Return the run as plain data, without its request and definition."""
        return {
            "id": self.id,
            "state": self.state,
            "target": self.target,
            "began": self.began,
            "ended": self.ended,
            "unit": self.unit,
            "done": self.done,
            "failed": self.failed,
            "of": self.of,
            "error": self.error,
        }

"""Kept runs: a journal's records of a run and its steps, as plain values."""

from typing import Any, Literal, NamedTuple

State = Literal["running", "completed", "failed", "interrupted", "killed", "cancelled", "waiting"]
"""How far a run is. One that is `waiting` goes on once its questions are answered. One
that was `killed` has not recorded its end, and nothing does its work any more."""


class KeptStep(NamedTuple):
    """One step of a run, or one item of a batch.

    Attributes:
        path: Where in the run it is.
        tool: What it calls; empty where it has only ended, as a whole item of a pipeline.
        status: How it ended; `None` of one that has not.
        result: What it gave, as JSON text.
        arguments: What it was called with, as JSON text that may be cut.
        began: When it began, in seconds since 1970; `None` where only its end is known.
        ended: When it ended.
        may_repeat: Whether it may be done again where nobody knows whether it was done.
        is_whole: Whether nothing is missing from its result.
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


class KeptRun(NamedTuple):
    """One run.

    Attributes:
        number: Its place in the journal.
        id: Its unique id.
        state: How far it is.
        target: What was run, as it was named.
        began: When it began, in seconds since 1970.
        ended: When it ended; `None` of one that has not.
        done: How many steps, or items, have ended well.
        failed: How many have failed.
        of: How many there are; `None` where nobody knows.
        unit: What is counted: `steps` or `items`.
        error: Why it ended, if not well.
        request: What it takes to run it again, as plain data without secrets, and the graph of its pipeline.
        definition: The digest of each file that it was made of.
        process: The id of the process that did its work last.
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
        """How many are done, in words: `14 of 20 steps`, `998 items`."""
        if self.of is not None:
            return f"{self.done:,} of {self.of:,} {self.unit}"
        return f"{self.done:,} {self.unit if self.done != 1 else self.unit.removesuffix('s')}"

    def as_record(self) -> dict[str, Any]:
        """Return the run for people and programs, as plain data."""
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

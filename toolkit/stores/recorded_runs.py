"""What a store contains: runs, their steps, and the items of batches with their outcomes."""

from typing import Any, Final, Literal, NamedTuple

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


EndStatus = Literal["ok", "failed", "timed_out", "rejected", "doubtful", "waiting", "ended"]
"""How an item ended. A `waiting` item continues when its questions are answered. A `doubtful` item began before
a worker died, and may have taken effect. An `ended` item ends the run."""

FINAL: Final = frozenset({"ok", "failed", "timed_out", "rejected"})
"""The final statuses: such an item is not repeated unless the user asks for it."""


class StoredItem(NamedTuple):
    """An item on its way to a worker.

    Attributes:
        run: The id of its run.
        number: Its position among the items, from 1.
        arguments: Arguments of the tool call, as plain data without secrets.
        digest: The digest of these arguments.
        attempt: Number of this attempt, from 1; it continues where the previous attempt stopped.
        repeats: Whether to repeat a step that began and may have taken effect.
    """

    run: str
    number: int
    arguments: dict[str, Any]
    digest: str
    attempt: int = 1
    repeats: bool = False

    @property
    def id(self) -> str:
        """The unique id in the store."""
        return item_id(self.run, self.number, self.attempt)


class ItemEnd(NamedTuple):
    """The outcome of an item.

    Attributes:
        status: How the item ended.
        result: The result as JSON text without secrets; the reason if the item ends the run; the ids of its
            questions if it waits.
        cost: Cost of model requests in US dollars, or `None` if not known.
        requests: Number of model requests.
    """

    status: EndStatus
    result: str
    cost: float | None = None
    requests: int = 0


def item_id(run: str, number: int, attempt: int) -> str:
    """Return the unique id of an attempt at an item."""
    return f"{run}/{number}.{attempt}"


def number_in(id: str) -> int:
    return int(id.rpartition("/")[2].partition(".")[0])

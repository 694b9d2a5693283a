"""Stored items: what a store keeps of an item of a batch, on its way to a worker, and back."""

from typing import Any, Final, Literal, NamedTuple

EndStatus = Literal["ok", "failed", "timed_out", "rejected", "doubtful", "waiting", "ended"]
"""How an item ended. What is `waiting` goes on once its questions are answered.
What was `doubtful` began before a worker died, and may have taken effect; what was `ended` ends
the run."""

FINAL: Final = frozenset({"ok", "failed", "timed_out", "rejected"})
"""What stands: nothing is done again after it unless somebody asks for it."""


class StoredItem(NamedTuple):
    """An item on its way to a worker.

    Attributes:
        run: The run that it belongs to.
        number: Its place among the items, from 1.
        arguments: What the tool is called with, as plain data without secrets.
        digest: The digest of these arguments.
        attempt: How often it was given to workers, this time included; a later one goes on where the last was.
        repeats: Whether a step that began, and may have taken effect, is done again.
    """

    run: str
    number: int
    arguments: dict[str, Any]
    digest: str
    attempt: int = 1
    repeats: bool = False

    @property
    def id(self) -> str:
        """Its unique id in its store."""
        return item_id(self.run, self.number, self.attempt)


class ItemEnd(NamedTuple):
    """The outcome of an item.

    Attributes:
        status: How it ended.
        result: What it gave, as JSON text without secrets; of an item that ends the run, why; of one that waits, the
            ids of its questions.
        cost: What models cost, in US dollars; `None` where that is not known.
        requests: How often models were asked.
    """

    status: EndStatus
    result: str
    cost: float | None = None
    requests: int = 0


def item_id(run: str, number: int, attempt: int) -> str:
    """Return the unique id of an item and its attempt."""
    return f"{run}/{number}.{attempt}"


def number_in(id: str) -> int:  # noqa: A002 - what it is
    return int(id.rpartition("/")[2].partition(".")[0])

"""An item of a batch and its outcome, as a store contains them."""

from typing import Any, Final, Literal, NamedTuple

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

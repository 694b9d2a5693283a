"""Tallies: how far a batch is, as its results are counted."""

from collections.abc import Callable
from time import perf_counter

from toolkit.runs.records import ModelUse

_FAILURES_SHOWN = 5


class Tally:
    """Counts the items of one batch.

    Attributes:
        done: How many have ended, well or not.
        failed: How many of them have failed.
        waiting: How many of them wait for an approval, and have not ended.
        failures: What the first of those came to, in lines for people.
        cost: What models cost, in US dollars; `None` where none that has a price was asked.
        requests: How often models were asked.
    """

    def __init__(
        self, progress: Callable[[], float | None] = lambda: None, ahead: Callable[[], int] = lambda: 0
    ) -> None:
        """Count from nothing.

        Args:
            progress: Returns how much of all items was read, from 0 to 1, where that is known.
            ahead: Returns how many items were read long before they are counted.
        """
        self.done = 0
        self.failed = 0
        self.waiting = 0
        self.failures: list[str] = []
        self.cost: float | None = None
        self.requests = 0
        self._progress, self._ahead = progress, ahead
        self._began = perf_counter()

    def count(self, failure: str | None) -> None:
        """Count an item that has ended; `failure` is where and why it failed, if it did."""
        self.done += 1
        if failure is not None:
            self.failed += 1
            if len(self.failures) < _FAILURES_SHOWN:
                self.failures.append(failure)

    def count_waiting(self) -> None:
        """Count an item that waits for an approval."""
        self.done += 1
        self.waiting += 1

    def spend(self, use: ModelUse) -> None:
        """Count a request to a model."""
        self.spend_all(use.cost, 1)

    def spend_all(self, cost: float | None, requests: int) -> None:
        """Count requests to models, and what they cost together, where that is known."""
        self.requests += requests
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return perf_counter() - self._began

    @property
    def rate(self) -> float:
        """How many items end in a second."""
        return self.done / max(self.seconds, 1e-9)

    @property
    def fraction(self) -> float | None:
        """How much of all items is behind, from 0 to 1; `None` where nobody knows."""
        read, ahead = self._progress(), self._ahead()
        return read if read is None or not ahead else read * self.done / (self.done + ahead)

    @property
    def remaining(self) -> float | None:
        """How many seconds it may still take; `None` where nobody knows."""
        fraction = self.fraction
        return None if not fraction or not self.done else self.seconds / fraction * (1 - fraction)


def items_done(count: int) -> str:
    """Return how many items are done, in words: `1 item done`, `2,000 items done`."""
    return f"{count:,} {'item' if count == 1 else 'items'} done"

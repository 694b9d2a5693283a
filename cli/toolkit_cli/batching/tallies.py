"""Counts the results of a batch and estimates its progress."""

from collections.abc import Callable
from time import perf_counter

from toolkit.runs.records import ModelUse

_FAILURES_SHOWN = 5


class Tally:
    """Counts the items of one batch.

    Attributes:
        done: Number of items counted, whether they succeeded, failed or wait.
        failed: Number of failed items.
        waiting: Number of items that wait for approval.
        failures: Messages of the first failures.
        cost: Cost of model requests in US dollars; `None` if no price is known.
        requests: Number of requests to models.
    """

    def __init__(
        self, progress: Callable[[], float | None] = lambda: None, ahead: Callable[[], int] = lambda: 0
    ) -> None:
        """Start at zero.

        Args:
            progress: Returns the fraction of the input that was read, from 0 to 1, or `None` if it is unknown.
            ahead: Returns the number of items that were read but not counted yet.
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
        """Count a finished item; `failure` is its error message, if it failed."""
        self.done += 1
        if failure is not None:
            self.failed += 1
            if len(self.failures) < _FAILURES_SHOWN:
                self.failures.append(failure)

    def count_waiting(self) -> None:
        """Count an item that waits for approval."""
        self.done += 1
        self.waiting += 1

    def spend(self, use: ModelUse) -> None:
        """Count a request to a model."""
        self.spend_all(use.cost, 1)

    def spend_all(self, cost: float | None, requests: int) -> None:
        """Count requests to models, and add their total cost, if known."""
        self.requests += requests
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    @property
    def seconds(self) -> float:
        """Elapsed time in seconds."""
        return perf_counter() - self._began

    @property
    def rate(self) -> float:
        """Items per second."""
        return self.done / max(self.seconds, 1e-9)

    @property
    def fraction(self) -> float | None:
        """Fraction of the items that are done, from 0 to 1; `None` if unknown."""
        read, ahead = self._progress(), self._ahead()
        return read if read is None or not ahead else read * self.done / (self.done + ahead)

    @property
    def remaining(self) -> float | None:
        """Estimated remaining time in seconds; `None` if unknown."""
        fraction = self.fraction
        return None if not fraction or not self.done else self.seconds / fraction * (1 - fraction)


def items_done(count: int) -> str:
    """Return a message such as `1 item done` or `2,000 items done`."""
    return f"{count:,} {'item' if count == 1 else 'items'} done"

"""Taking times: contestants in turns, so that a slow moment of the machine falls on all of them."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Work = Callable[[], object]


class Times(NamedTuple):
    """What one contestant took, in seconds a unit of work."""

    best: float
    median: float


def in_turns(contestants: Mapping[str, Work], *, rounds: int, units: int = 1) -> dict[str, Times]:
    """Run every contestant once a round, in turns, and return the times of each.

    Args:
        contestants: The work of each; one call of it does `units` units.
        rounds: How many times each is run, beside one run to warm up.
        units: By how much a time is divided.
    """
    for work in contestants.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            taken[name].append(seconds_of(work) / units)
    return {name: Times(min(times), statistics.median(times)) for name, times in taken.items()}


def seconds_of(work: Work) -> float:
    """Return how long one run takes, with the garbage of the one before swept away and none swept meanwhile."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def repeated(work: Work, units: int) -> Work:
    """Return work that does another one so many times."""

    def repeat() -> None:
        for _ in range(units):
            work()

    return repeat

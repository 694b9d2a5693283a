"""Measures contestants alternately, so that slow phases of the machine affect all of them."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Work = Callable[[], object]


class Times(NamedTuple):
    """The times of one contestant, in seconds per unit of work."""

    best: float
    median: float


def in_turns(contestants: Mapping[str, Work], *, rounds: int, units: int = 1) -> dict[str, Times]:
    """Run every contestant once per round, and return the times of each.

    Args:
        contestants: The work of each contestant, by name. One call does `units` units of work.
        rounds: How many times each contestant is run, after one run to warm up.
        units: The number of units by which times are divided.
    """
    for work in contestants.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            taken[name].append(seconds_of(work) / units)
    return {name: Times(min(times), statistics.median(times)) for name, times in taken.items()}


def seconds_of(work: Work) -> float:
    """Return the duration of one run in seconds, with garbage collected before it and not during it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def repeated(work: Work, units: int) -> Work:
    """Return work that repeats other work `units` times."""

    def repeat() -> None:
        for _ in range(units):
            work()

    return repeat

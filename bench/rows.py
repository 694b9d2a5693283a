"""The rows of the table: a measure, its floor, our times, and what they should be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bench.timing import Times


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one measure.

    Attributes:
        code: The code of the measure, such as `A1`.
        measure: What was measured.
        unit: The times that count as 1; `None` if the result is a time rather than a ratio.
        unit_name: What was measured for the unit.
        ours: The times of this library.
        target: The ratio, or the time in seconds if there is no unit, that we promise.
        goal: The ratio, or the time in seconds, that we would like to reach.
        references: The times of others in the same run, such as floors and peers, by name.
        is_memory: Whether the times are bytes of memory instead of seconds.
    """

    code: str
    measure: str
    unit: Times | None
    unit_name: str
    ours: Times
    target: float
    goal: float
    references: Mapping[str, Times] = field(default_factory=dict)
    is_memory: bool = False

    def figure(self, times: Times) -> tuple[float, float]:
        """Return the ratios of the best and of the median times, or the times themselves if there is no unit."""
        if self.unit is None:
            return times.best, times.median
        return times.best / self.unit.best, times.median / self.unit.median

    @property
    def verdict(self) -> str:
        """Whether the best times reach the goal, only the target, or neither."""
        reached = self.figure(self.ours)[0]
        if reached <= self.goal:
            return "goal"
        return "target" if reached <= self.target else "MISSED"

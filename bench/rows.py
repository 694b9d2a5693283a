"""One row of the table: a measure, its floor, what we take, and what we aim at."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bench.timing import Times


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one measure.

    Attributes:
        code: The measure's name in the table, such as `A1`.
        measure: What was measured.
        unit: The time that counts as 1, in seconds; `None` where the time itself is the figure.
        unit_name: What that time is of.
        ours: Our times.
        target: The ratio we promise, or the seconds where there is no unit.
        goal: The ratio, or the seconds, we would like to reach.
        references: Other contestants of the same run, the floor and the peers, by name.
    """

    code: str
    measure: str
    unit: Times | None
    unit_name: str
    ours: Times
    target: float
    goal: float
    references: Mapping[str, Times] = field(default_factory=dict)

    def figure(self, times: Times) -> tuple[float, float]:
        """Return the ratios of the best and of the median times, or the times where there is no unit."""
        if self.unit is None:
            return times.best, times.median
        return times.best / self.unit.best, times.median / self.unit.median

    @property
    def verdict(self) -> str:
        """Say what was reached, by the best times."""
        reached = self.figure(self.ours)[0]
        if reached <= self.goal:
            return "goal"
        return "target" if reached <= self.target else "MISSED"

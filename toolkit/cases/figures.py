"""Figures about what models choose: pass rates with intervals, grades, and which tool was called instead of another."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from toolkit.cases.case import CaseResult, Ran
    from toolkit.pins.drifts import Entry

_Z: Final = 1.959964
"""The number of standard deviations of a 95% interval."""
GRADES: Final = ("tool", "valid", "arguments", "needless")
"""What is graded apart: the tools, whether the arguments fit the schema, their values, and calls that nobody needs."""


class Choice(NamedTuple):
    """What a model chose in one case, as plain data.

    Attributes:
        model: The model.
        asked: The tools that should be called, in order.
        called: The tools that it called, in order.
        faults: The grades that it failed.
        tokens: The tokens of its request and reply.
        cost: The cost in US dollars.
        tools: The definitions that it was offered, by name.
    """

    model: str
    asked: tuple[str, ...]
    called: tuple[str, ...]
    faults: tuple[str, ...]
    tokens: int
    cost: float
    tools: "Mapping[str, Entry]"

    def confusions(self) -> Iterable[tuple[str, str]]:
        """Yield pairs of a tool that was asked for and the one that was called; an empty name stands for none."""
        right = Counter(self.asked) & Counter(self.called)
        yield from ((name, name) for name in right.elements())
        missing = list((Counter(self.asked) - right).elements())
        extra = list((Counter(self.called) - right).elements())
        yield from zip_longest(missing, extra, fillvalue="")
        if not self.asked and not self.called:
            yield "", ""


class Rate(NamedTuple):
    """How many of some runs passed."""

    passed: int
    runs: int

    @property
    def share(self) -> float:
        """The share that passed."""
        return self.passed / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the true rate, after Wilson."""
        n, share, square = self.runs, self.share, _Z * _Z
        centre = (share + square / (2 * n)) / (1 + square / n)
        half = _Z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
        return max(centre - half, 0.0), min(centre + half, 1.0)

    def change_from(self, before: "Rate") -> tuple[float, float]:
        """Return the 95% interval of the change from another rate, after Newcombe."""
        change = self.share - before.share
        (low, high), (low_before, high_before) = self.interval, before.interval
        down = sqrt((self.share - low) ** 2 + (high_before - before.share) ** 2)
        up = sqrt((high - self.share) ** 2 + (before.share - low_before) ** 2)
        return change - down, change + up


class Figures(NamedTuple):
    """The figures of one model.

    Attributes:
        model: The model.
        rate: How many runs passed.
        grades: How many runs passed each grade.
        confusions: How often each tool was called where another one, or itself, was asked for; an empty name is none.
        tokens: The tokens of all runs.
        cost: The cost of all runs in US dollars.
        seconds: The time of all runs.
    """

    model: str
    rate: Rate
    grades: Mapping[str, int]
    confusions: Mapping[tuple[str, str], int]
    tokens: int
    cost: float
    seconds: float


def figures_of(ran: "Sequence[Ran]") -> list[Figures]:
    """Return the figures of each model that chose."""
    by_model: dict[str, list[tuple[CaseResult, Choice]]] = {}
    for one in ran:
        if (choice := one.result.choice) is not None:
            by_model.setdefault(choice.model, []).append((one.result, choice))
    return [_figures(model, runs) for model, runs in by_model.items()]


def _figures(model: str, runs: "Sequence[tuple[CaseResult, Choice]]") -> Figures:
    choices = [choice for _, choice in runs]
    return Figures(
        model,
        Rate(sum(result.passed for result, _ in runs), len(runs)),
        grades={grade: sum(grade not in one.faults for one in choices) for grade in GRADES},
        confusions=Counter(pair for one in choices for pair in one.confusions()),
        tokens=sum(one.tokens for one in choices),
        cost=sum(one.cost for one in choices),
        seconds=sum(result.seconds for result, _ in runs),
    )

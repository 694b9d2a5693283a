"""Rows of a run page: its steps and items, with when each ran, what it was called with and what it gave."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit.visibility import disarmed

_MOST_ROWS: Final = 200_000
_ALL_CHARACTERS: Final = 24_000_000
"""What all results together may take, so that a browser can still open the page."""
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 200, 20_000
_WELL: Final = ("ok", "skipped")


class StepRows(NamedTuple):
    """The steps of a run, as the script of the page reads them.

    Attributes:
        rows: For each step: path, tool, status, milliseconds from the start of the run to its own (None where that is
            not known), milliseconds that it took (None where it has no end), arguments, result.
        span: How many milliseconds the run took, as far as its steps show.
        cut_after: After how many characters arguments and results are cut.
        left_out: How many steps the page does not show.
    """

    rows: list[list[Any]]
    span: int
    cut_after: int
    left_out: int


def step_rows(run: KeptRun, steps: Sequence[KeptStep]) -> StepRows:
    """Return the steps of a run; of very many those that failed, then the earliest."""
    held = steps if len(steps) <= _MOST_ROWS else sorted(steps, key=has_ended_well)[:_MOST_ROWS]
    begins = _begins_of(steps)
    limit = min(_MOST_CHARACTERS, max(_FEWEST_CHARACTERS, _ALL_CHARACTERS // max(1, len(held))))
    rows = [_row(step, begins.get(step.path, step.ended), run.began, limit) for step in held]
    span = max([1, *((row[3] or 0) + (row[4] or 0) for row in rows)])
    return StepRows(rows, span, limit, len(steps) - len(held))


def has_ended_well(step: KeptStep) -> bool:
    """Return whether there is nothing to look into."""
    return step.status in _WELL


def _row(step: KeptStep, began: float | None, start: float, limit: int) -> list[Any]:
    since = None if began is None else max(0, round((began - start) * 1000))
    took = None if began is None or step.ended is None else max(0, round((step.ended - began) * 1000))
    texts = (_cut(step.arguments, limit), _cut(step.result or "", limit))
    return [disarmed(step.path), disarmed(step.tool), step.status or "begun", since, took, *texts]


def _begins_of(steps: Sequence[KeptStep]) -> dict[str, float]:
    """Return when each step began; one of which only the end is kept began with the first step inside it."""
    begins: dict[str, float] = {}
    for step in steps:
        if step.began is not None:
            for path in (step.path, *[step.path[:end] for end, sign in enumerate(step.path) if sign in "/["]):
                begins[path] = min(step.began, begins.get(path, step.began))
    return begins


def _cut(text: str, limit: int) -> str:
    return disarmed(text if len(text) <= limit else f"{text[:limit]}…")

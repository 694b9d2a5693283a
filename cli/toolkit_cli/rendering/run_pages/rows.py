"""The rows of a run page: steps and items with their times, arguments and results."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from toolkit.journals.kept_runs import KeptRun, KeptStep
from toolkit.visibility import disarm

_MOST_ROWS: Final = 200_000
_ALL_CHARACTERS: Final = 24_000_000
"""Maximum size of all results together, in characters, so that browsers can open the page."""
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 200, 20_000
_WELL: Final = ("ok", "skipped")


class StepRows(NamedTuple):
    """The steps of a run, in the form that the script of the page reads.

    Attributes:
        rows: For each step: path, tool, status, start in milliseconds after the start of the run (None if unknown),
            duration in milliseconds (None if it has not ended), arguments, result.
        span: Duration of the run in milliseconds, as far as its steps show.
        cut_after: Maximum number of characters of arguments and results.
        left_out: Number of steps that the page does not show.
    """

    rows: list[list[Any]]
    span: int
    cut_after: int
    left_out: int


def step_rows(run: KeptRun, steps: Sequence[KeptStep]) -> StepRows:
    """Return the steps of a run; if there are too many, failed steps first, then the earliest."""
    held = steps if len(steps) <= _MOST_ROWS else sorted(steps, key=has_ended_well)[:_MOST_ROWS]
    begins = _begins_of(steps)
    limit = min(_MOST_CHARACTERS, max(_FEWEST_CHARACTERS, _ALL_CHARACTERS // max(1, len(held))))
    rows = [_row(step, begins.get(step.path, step.ended), run.began, limit) for step in held]
    span = max([1, *((row[3] or 0) + (row[4] or 0) for row in rows)])
    return StepRows(rows, span, limit, len(steps) - len(held))


def has_ended_well(step: KeptStep) -> bool:
    """Return whether a step succeeded or was skipped."""
    return step.status in _WELL


def _row(step: KeptStep, began: float | None, start: float, limit: int) -> list[Any]:
    since = None if began is None else max(0, round((began - start) * 1000))
    took = None if began is None or step.ended is None else max(0, round((step.ended - began) * 1000))
    texts = (_cut(step.arguments, limit), _cut(step.result or "", limit))
    return [disarm(step.path), disarm(step.tool), step.status or "begun", since, took, *texts]


def _begins_of(steps: Sequence[KeptStep]) -> dict[str, float]:
    """Return the start times of steps; a step without a recorded start gets that of the first step inside it."""
    begins: dict[str, float] = {}
    for step in steps:
        if step.began is not None:
            for path in (step.path, *[step.path[:end] for end, sign in enumerate(step.path) if sign in "/["]):
                begins[path] = min(step.began, begins.get(path, step.began))
    return begins


def _cut(text: str, limit: int) -> str:
    return disarm(text if len(text) <= limit else f"{text[:limit]}…")

"""Compares what models chose in two reports: which cases have moved, with which definitions, and what has dropped."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.cases.figures import Rate
from toolkit.pins.drifts import Drift, drifts_between

Report = Mapping[str, Any]


class Moved(NamedTuple):
    """A case whose rate has changed, and how the definitions that it offers have changed."""

    name: str
    before: Rate
    now: Rate
    drifts: tuple[Drift, ...]


class Comparison(NamedTuple):
    """How one model has done in the cases that are in both reports."""

    model: str
    before: Rate
    now: Rate
    moved: tuple[Moved, ...]

    @property
    def has_dropped(self) -> bool:
        """Whether the true rate is lower, with a certainty of 95%."""
        return self.now.change_from(self.before)[1] < 0


def compare(before: Report, now: Report) -> list[Comparison]:
    """Return a comparison for each model that is in both JSON reports of `toolkit test`.

    Raises:
        AttributeError, KeyError, TypeError: If one of them is not such a report.
    """
    old, new = _choices(before), _choices(now)
    shared: dict[str, list[tuple[str, str, str]]] = {}
    for key in new:
        if key in old:
            shared.setdefault(key[0], []).append(key)
    found = []
    for model, keys in shared.items():
        rates = [(key, _rate(old[key]), _rate(new[key])) for key in keys]
        moved = (
            Moved(key[2], one, other, tuple(drifts_between(_tools(before, old[key]), _tools(now, new[key]))))
            for key, one, other in rates
            if one.share != other.share
        )
        all_before, all_now = (_rate([run for key in keys for run in side[key]]) for side in (old, new))
        found.append(Comparison(model, all_before, all_now, tuple(moved)))
    return found


def _choices(report: Report) -> dict[tuple[str, str, str], list[Report]]:
    """Return the runs of a report in which a model chose, by model, file and case."""
    found: dict[tuple[str, str, str], list[Report]] = {}
    for one in report["cases"]:
        if one["choice"] is not None:
            found.setdefault((one["choice"]["model"], one["file"], one["name"]), []).append(one)
    return found


def _rate(runs: Sequence[Report]) -> Rate:
    return Rate(sum(one["status"] == "passed" for one in runs), len(runs))


def _tools(report: Report, runs: Sequence[Report]) -> dict[str, Report]:
    return {name: report["definitions"][digest] for name, digest in runs[0]["choice"]["tools"].items()}

"""The table of recorded steps, which is the same in the user's journal and in a store."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolkit.stores.databases import Database
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep
from toolkit.stores.tables import WHOLE

_STEPS: Final = f"SELECT {', '.join(RecordedStep._fields)}, digest FROM toolkit_steps WHERE run = :run"  # noqa: S608 - our own names
_OF_RUN: Final = f"{_STEPS} AND (:since = 0 OR ended > :since) ORDER BY coalesce(began, ended), ended"
_OF_ITEM: Final = f"{_STEPS} AND path = :item UNION ALL {_STEPS} AND path >= :first AND path < :after"
_COUNTS: Final = (
    "SELECT count(*) FILTER (WHERE status = 'ok') AS done,"  # noqa: S608 - our own words
    " count(*) FILTER (WHERE status NOT IN ('ok', 'skipped')) AS failed"
    f" FROM toolkit_steps WHERE run = :run AND {WHOLE}"
)
_LAST_ITEM: Final = f"SELECT max(CAST(path AS INTEGER)) AS number FROM toolkit_steps WHERE run = :run AND {WHOLE}"  # noqa: S608 - our own words


class StoredSteps:
    """The table of recorded steps. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_run(self, run: RecordedRun, *, since: float = 0.0) -> Iterator[RecordedStep]:
        """Yield the steps of a run in the order in which they began, and those of a batch item by item.

        Args:
            run: The run.
            since: If not 0, yield only steps that ended after this time, in seconds since 1970.

        Raises:
            JournalError: If the database cannot be read.
        """
        steps = map(_step, self._database.read(_OF_RUN, {"run": run.number, "since": since}))
        return iter(sorted(steps, key=_item)) if run.unit == "items" else steps

    def of_item(self, run: int, item: int) -> list[tuple[RecordedStep, str]]:
        """Return the record of an item and of the steps inside it, each with the digest of its arguments.

        Args:
            run: The number of the run.
            item: The number of the item.

        Raises:
            JournalError: If the database cannot be read.
        """
        wanted = {"run": run, "item": str(item), "first": f"{item}/", "after": f"{item}0"}  # "0" follows "/"
        return [(_step(row), row["digest"]) for row in self._database.read(_OF_ITEM, wanted)]

    def counted(self, run: RecordedRun) -> RecordedRun:
        """Return a run with the numbers of its steps or items; they are recorded when it ends.

        Raises:
            JournalError: If the database cannot be read.
        """
        if run.state not in ("running", "killed"):
            return run
        (row,) = self._database.read(_COUNTS, {"run": run.number})
        return run._replace(done=row["done"], failed=row["failed"])

    def last_item(self, run: RecordedRun) -> int:
        """Return the highest number of the recorded items of a batch, or 0 if there are none.

        Raises:
            JournalError: If the database cannot be read.
        """
        (row,) = self._database.read(_LAST_ITEM, {"run": run.number})
        return row["number"] or 0

    def in_doubt(self, run: RecordedRun) -> list[RecordedStep]:
        """Return the steps that cannot safely be repeated and may have run, or whose results are incomplete.

        Steps inside a finished step or item are left out, since they will not run again.

        Raises:
            JournalError: If the database cannot be read.
        """
        steps = list(self.of_run(run))
        doubts = in_doubt(steps)
        if not doubts:
            return []
        ended = {step.path for step in steps if step.status == "ok" and (step.is_whole or run.unit == "items")}
        return [step for step in doubts if not any(one in ended for one in _around(step.path))]


def in_doubt(steps: Iterable[RecordedStep]) -> list[RecordedStep]:
    """Return the steps that cannot safely be repeated and may have run, or whose results are incomplete."""
    return [step for step in steps if not step.may_repeat and _may_have_run(step)]


def _may_have_run(step: RecordedStep) -> bool:
    return step.status is None or step.status == "timed_out" or (step.status == "ok" and not step.is_whole)


def _item(step: RecordedStep) -> int:
    """Return the number of the item that a step of a batch belongs to."""
    return int(next(_around(step.path), step.path))


def _around(path: str) -> Iterator[str]:
    """Yield the paths of the steps and items that contain a step."""
    for end, sign in enumerate(path):
        if sign in "/[":
            yield path[:end]


def _step(row: Mapping[str, Any]) -> RecordedStep:
    step = RecordedStep(*(row[name] for name in RecordedStep._fields))
    return step._replace(may_repeat=bool(step.may_repeat), is_whole=bool(step.is_whole))

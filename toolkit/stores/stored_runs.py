"""The tables of runs and of their steps."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from toolkit.runs.records import JournalError
from toolkit.stores.databases import Database, is_alive
from toolkit.stores.presences import Presence, known_processes
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep, State
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.tables import WHOLE

_BEGIN: Final = (
    "INSERT INTO toolkit_runs (id, state, target, tool, began, total, unit, request, definition, version, software,"
    " process, name) VALUES (:id, 'running', :target, :tool, :began, :total, :unit, :request, :definition, :version,"
    " :software, :process, :name) RETURNING number"
)
_UNCHANGED: Final = "id = :id AND state = :state AND process = :process"
"""A condition for a run that nobody has resumed, ended or deleted since it was read."""
_RESUME: Final = (
    "UPDATE toolkit_runs SET state = 'running', ended = NULL, error = NULL, definition = :definition,"  # noqa: S608 - our own names
    f" version = :version, software = :software, process = :now WHERE {_UNCHANGED}"
)
_OF_RUN: Final = f"(SELECT count(*) FROM toolkit_steps WHERE run = toolkit_runs.number AND {WHOLE} AND status"  # noqa: S608 - our own words
_END: Final = (
    f"UPDATE toolkit_runs SET ended = :ended, done = {_OF_RUN} = 'ok'),"  # noqa: S608 - as above
    f" failed = {_OF_RUN} NOT IN ('ok', 'skipped')),"
)
_FINISH: Final = (
    f"{_END} state = CASE WHEN state IN ('cancelled', 'deleted') THEN state ELSE :state END, error = :error"
    " WHERE id = :id"
)
_CANCEL: Final = f"{_END} state = 'cancelled' WHERE id = :id AND state <> 'deleted'"
_ALL: Final = (
    "SELECT * FROM toolkit_runs WHERE state <> 'deleted' AND substr(id, 1, :length) = :start ORDER BY number DESC"
)
_MARK: Final = f"UPDATE toolkit_runs SET state = 'deleted' WHERE {_UNCHANGED}"  # noqa: S608 - our own names
_AS_IT_STANDS: Final = (
    "number",
    "id",
    "state",
    "target",
    "began",
    "ended",
    "done",
    "failed",
    "unit",
    "error",
    "process",
)
"""Columns that are fields of `RecordedRun`, with the same name and value."""


class StoredRuns:
    """The table of recorded runs. Thread-safe.

    A run that is being deleted has the state `deleted`, and is listed nowhere.
    """

    def __init__(
        self,
        database: Database,
        join: "Callable[[], Presence]",
        software: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """Use an open database.

        Args:
            database: The database.
            join: Returns the presence of this process, which follows the runs that it begins.
            software: Returns the versions of the software that runs are run with, by name.
        """
        self._database, self._join, self._software = database, join, software
        self._approvals = StoredApprovals(database)

    def begin(  # noqa: PLR0913 - all that a run is
        self,
        id: str,
        target: str,
        tool: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        unit: str = "items",
        of: int | None = None,
        version: str = "",
        name: str | None = None,
    ) -> int:
        """Record a new run, and return its number.

        Args:
            id: The unique id of the run.
            target: The target that is run, as the user wrote it.
            tool: The name of the tool.
            request: Everything needed to run it again, as plain data without secrets.
            definition: The digest of each file of the tool's definition.
            unit: What is counted: `steps` or `items`.
            of: The total number of them; `None` if unknown.
            version: The version of the definition, which is the same on every machine.
            name: The name of the schedule that began the run, if any.

        Raises:
            JournalError: If the database cannot be written.
        """
        row = {
            "id": id, "target": target, "tool": tool, "began": time.time(), "total": of, "unit": unit,
            "request": json.dumps(request), "definition": json.dumps(definition), "version": version,
            "software": json.dumps(self._software()), "process": self._join().number, "name": name,
        }  # fmt: skip
        return self._database.transaction(lambda execute: int(execute(_BEGIN, row).rows[0]["number"]))

    def resume(self, run: RecordedRun, definition: Mapping[str, str], version: str = "") -> None:
        """Record that a run continues with the current definition; if that changed, its questions are deleted.

        Raises:
            JournalError: If another process follows the run, it has been deleted, or the database cannot be written.
        """
        now = next((one for one in self.all(run.id) if one.id == run.id), None)
        if now is None:
            raise JournalError(f"the run '{run.id}' has been deleted")
        if now.state == "running" and now.process != self._join().number:
            raise JournalError(f"the run '{run.id}' is already running in {self._place_of(now.process)}")
        if dict(definition) != run.definition:
            self._approvals.withdraw(run.id)
        row = {
            "definition": json.dumps(definition), "version": version, "software": json.dumps(self._software()),
            "now": self._join().number,
        }  # fmt: skip
        if self._database.write(_RESUME, row | _unchanged(now)) != 1:
            raise JournalError(f"the run '{run.id}' has been resumed, cancelled or deleted by another process")

    def _place_of(self, process: int) -> str:
        """Return where a process runs, in words."""
        found = next((one for one in known_processes(self._database) if one.number == process), None)
        if found is None:
            return "another process"
        return f"process {found.process}" if found.is_here else f"process {found.process} of '{found.machine}'"

    def finish(self, id: str, state: State, error: str | None = None) -> None:
        """Record how a run ended, unless it was cancelled; workers then take no more of its items.

        Raises:
            JournalError: If the database cannot be written.
        """
        self._database.write(_FINISH, {"id": id, "state": state, "error": error, "ended": time.time()})

    def cancel(self, id: str) -> None:
        """Cancel a run. Workers take no more of its items, and the process that follows it ends when it reads that.

        Raises:
            JournalError: If the database cannot be written.
        """
        self._database.write(_CANCEL, {"id": id, "ended": time.time()})

    def state_of(self, id: str) -> str:
        """Return the last recorded state of a run.

        Raises:
            JournalError: If there is no such run, or the database cannot be read.
        """
        return str(self._row(id)["state"])

    def all(self, start: str = "") -> Iterator[RecordedRun]:
        """Yield all runs whose id starts like this, newest first; `process` is the number of their process.

        Raises:
            JournalError: If the database cannot be read.
        """
        return map(self._run, self._database.read(_ALL, {"start": start, "length": len(start)}))

    def get(self, id: str) -> RecordedRun:
        """Return the run with an id.

        Raises:
            JournalError: If there is no such run, or the database cannot be read.
        """
        return self._run(self._row(id))

    def mark_deleted(self, runs: Iterable[RecordedRun]) -> list[RecordedRun]:
        """Hide runs that are about to be deleted, except those that have been resumed meanwhile; return them.

        Raises:
            JournalError: If the database cannot be written.
        """
        wanted = list(runs)
        return self._database.transaction(
            lambda execute: [run for run in wanted if execute(_MARK, _unchanged(run)).changed == 1]
        )

    def marked(self) -> list[RecordedRun]:
        """Return the runs that are about to be deleted, including those whose deletion was interrupted.

        Raises:
            JournalError: If the database cannot be read.
        """
        return [self._run(row) for row in self._database.read("SELECT * FROM toolkit_runs WHERE state = 'deleted'")]

    def delete(self, run: RecordedRun) -> None:
        """Delete a run with its steps and questions; the items that workers process have to be deleted before.

        Raises:
            JournalError: If the database cannot be written.
        """
        of_run = {"number": run.number, "id": run.id}
        self._database.transaction(
            lambda execute: [
                execute("DELETE FROM toolkit_steps WHERE run = :number", of_run),
                execute("DELETE FROM toolkit_approvals WHERE run = :id", of_run),
                execute("DELETE FROM toolkit_runs WHERE id = :id", of_run),
            ]
        )

    def software_of(self, id: str) -> dict[str, str]:
        """Return the versions of the software that a run was last started with.

        Raises:
            JournalError: If the database cannot be read.
        """
        software: dict[str, str] = json.loads(self._row(id)["software"])
        return software

    def under_way(self, versions: Iterable[str]) -> dict[str, str]:
        """Return the ids of the active runs that have one of these versions, each with its version.

        Raises:
            JournalError: If the database cannot be read.
        """
        wanted = set(versions)
        rows = self._database.read("SELECT id, version FROM toolkit_runs WHERE state = 'running'")
        return {row["id"]: row["version"] for row in rows if row["version"] in wanted}

    def _run(self, row: Mapping[str, Any]) -> RecordedRun:
        columns = {name: row[name] for name in _AS_IT_STANDS}
        if row["state"] == "running" and not is_alive(self._database, row["process"]):
            columns["state"] = "killed"
        request, definition = (json.loads(row[name]) for name in ("request", "definition"))
        return RecordedRun(**columns, of=row["total"], request=request, definition=definition)

    def _row(self, id: str) -> Mapping[str, Any]:
        for row in self._database.read("SELECT * FROM toolkit_runs WHERE id = :id", {"id": id}):
            return row
        raise JournalError(f"'{self._database.shown}' has no run '{id}'")


def _unchanged(run: RecordedRun) -> dict[str, object]:
    """Return the values for `_UNCHANGED`."""
    state = "running" if run.state == "killed" else run.state
    return {"id": run.id, "state": state, "process": run.process}


_STEPS: Final = f"SELECT {', '.join(RecordedStep._fields)}, digest FROM toolkit_steps WHERE run = :run"  # noqa: S608 - our own names
_STEPS_OF_RUN: Final = f"{_STEPS} AND (:since = 0 OR ended > :since) ORDER BY coalesce(began, ended), ended"
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
        steps = map(_step, self._database.read(_STEPS_OF_RUN, {"run": run.number, "since": since}))
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

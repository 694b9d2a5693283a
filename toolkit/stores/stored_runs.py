"""The runs in a store, and the processes that follow them."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from toolkit.approvals.requests import ApprovalAnswer, PendingApproval, question_text
from toolkit.json_texts import json_text
from toolkit.releases import software_versions
from toolkit.stores.engines import StoreError, attempted, transacted
from toolkit.stores.recorded_runs import RecordedRun, State
from toolkit.stores.store_tables import APPROVALS, RUNS
from toolkit.stores.store_urls import StoreUrl

if TYPE_CHECKING:
    from toolkit.stores.presences import Presence


_DELETED: Final = "deleted"
"""The recorded state of a run that is being deleted. It is listed nowhere."""


class StoredApprovals:
    """The questions of runs that wait for an answer. Thread-safe."""

    def __init__(self, engine: Engine, url: StoreUrl) -> None:
        self._do = partial(transacted, engine, url)

    def all_open(self) -> list[PendingApproval]:
        """Return the unanswered questions of all runs that are not completed or cancelled, oldest first.

        Raises:
            StoreError: If reading the store fails.
        """
        goes_on = RUNS.c.state.not_in(("completed", "cancelled", _DELETED))
        wanted = select(APPROVALS).join(RUNS, RUNS.c.id == APPROVALS.c.run).where(APPROVALS.c.answer.is_(None), goes_on)
        return self._do("read", lambda connection: _all(connection, wanted.order_by(APPROVALS.c.number)))

    def at(self, run: str, path: str) -> PendingApproval | None:
        """Return the question at a path of a run, or `None` if there is none.

        Raises:
            StoreError: If reading the store fails.
        """
        wanted = select(APPROVALS).where(APPROVALS.c.run == run, APPROVALS.c.path == path)
        return next(iter(self._do("read", lambda connection: _all(connection, wanted))), None)

    def keep(self, pending: PendingApproval) -> None:
        """Store a question, and replace an earlier one at the same path.

        Raises:
            StoreError: If writing to the store fails.
        """
        row = {**pending._asdict(), "question": question_text(pending.question)}
        before = delete(APPROVALS).where(APPROVALS.c.run == pending.run, APPROVALS.c.path == pending.path)

        def write(connection: Connection) -> None:
            connection.execute(before)
            connection.execute(insert(APPROVALS).values(**row))

        self._do("write", write)

    def withdraw(self, run: str, path: str | None = None) -> None:
        """Delete the questions of a run, or only those at a path and below it.

        Raises:
            StoreError: If writing to the store fails.
        """
        gone = delete(APPROVALS).where(APPROVALS.c.run == run)
        gone = gone if path is None else gone.where(_within(path))
        self._do("write", lambda connection: connection.execute(gone))

    def answer(self, id: str, answer: ApprovalAnswer) -> bool:
        """Store the answer to a question, and return whether the question was still open.

        Raises:
            StoreError: If writing to the store fails.
        """
        row = {**answer._asdict(), "arguments": None if answer.arguments is None else json_text(answer.arguments)}
        change = update(APPROVALS).where(APPROVALS.c.id == id, APPROVALS.c.answer.is_(None)).values(**row)
        return self._do("write", lambda connection: connection.execute(change).rowcount == 1)


def _within(path: str) -> Any:
    """Return the SQL condition that a question is at a path of its run or below it."""
    own = APPROVALS.c.path
    return (own == path) | own.startswith(f"{path}/", autoescape=True) | own.startswith(f"{path}[", autoescape=True)


def _all(connection: Connection, wanted: Any) -> list[PendingApproval]:
    return [PendingApproval.of_row(row._asdict()) for row in connection.execute(wanted)]


_AS_IT_STANDS: Final = ("number", "id", "target", "began", "ended", "done", "failed", "error", "process")
"""Columns that are fields of `RecordedRun`, with the same name and value."""


def _marked(run: RecordedRun) -> Any:
    state = "running" if run.state == "killed" else run.state
    unchanged = (RUNS.c.id == run.id) & (RUNS.c.state == state) & (RUNS.c.process == run.process)
    return update(RUNS).where(unchanged).values(state=_DELETED)


class StoredRuns:
    """The runs in a store. Thread-safe."""

    def __init__(self, engine: Engine, url: StoreUrl, join: "Callable[[], Presence]") -> None:
        """Use an open store.

        Args:
            engine: The connection pool of the store.
            url: The URL of the store.
            join: Returns the presence of this process, which follows the runs that it begins.
        """
        self._engine, self._url, self._join = engine, url, join
        self._do = partial(transacted, engine, url)
        self._approvals = StoredApprovals(engine, url)

    def begin(
        self,
        id: str,
        target: str,
        tool: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        version: str,
        name: str | None = None,
    ) -> None:
        """Record a new run.

        Args:
            id: The unique id of the run.
            target: The target that is run, as the user wrote it.
            tool: The name of the tool.
            request: Everything needed to run it again, as plain data without secrets.
            definition: The digest of each file of the tool's definition.
            version: The version of the definition, which is the same on every machine.
            name: The name of the schedule that began the run, if any.

        Raises:
            StoreError: If writing to the store fails.
        """
        row = {
            "id": id, "state": "running", "target": target, "tool": tool, "began": time.time(), "done": 0, "failed": 0,
            "request": json.dumps(request), "definition": json.dumps(definition), "version": version,
            "software": json.dumps(software_versions("dbos")), "process": self._join().number, "name": name,
        }  # fmt: skip
        self._do("write", lambda connection: connection.execute(insert(RUNS).values(**row)))

    def resume(self, run: RecordedRun, definition: Mapping[str, str], version: str) -> None:
        """Record that a run continues with the current definition; if that changed, its questions are deleted.

        Raises:
            StoreError: If another process follows the run, it has been deleted, or writing to the store fails.
        """
        if self.is_followed(run):
            raise StoreError(f"the run '{run.id}' is already running in another process")
        if dict(definition) != run.definition:
            self._approvals.withdraw(run.id)
        values = {"definition": json.dumps(definition), "version": version, "process": self._join().number}
        software = json.dumps(software_versions("dbos"))
        change = update(RUNS).where(RUNS.c.id == run.id, RUNS.c.state != _DELETED)
        change = change.values(state="running", ended=None, error=None, software=software, **values)
        if self._do("write", lambda connection: connection.execute(change).rowcount) != 1:
            raise StoreError(f"the run '{run.id}' has been deleted")

    def is_followed(self, run: RecordedRun) -> bool:
        """Return whether another live process follows a run: submits its items and collects their outcomes.

        A finished run is not followed, even if its process, such as a worker with schedules, is still alive.

        Raises:
            StoreError: If reading the store fails.
        """
        presence = self._join()
        if run.state != "running" or run.process == presence.number:
            return False
        return attempted(self._url, "read", lambda: presence.is_alive(run.process))

    def count(self, id: str, done: int, failed: int) -> None:
        """Record how many items of a run have succeeded and failed.

        Raises:
            StoreError: If writing to the store fails.
        """
        self._update(id, done=done, failed=failed)

    def finish(self, id: str, state: State, error: str | None = None) -> None:
        """Record how a run ended; workers then take no more of its items.

        Raises:
            StoreError: If writing to the store fails.
        """
        self._update(id, state=state, error=error, ended=time.time())

    def cancel(self, id: str) -> None:
        """Cancel a run. The process that follows it ends, and workers take no more of its items.

        Raises:
            StoreError: If writing to the store fails.
        """
        self._update(id, state="cancelled", ended=time.time())

    def state_of(self, id: str) -> State:
        """Return the last recorded state of a run.

        Raises:
            StoreError: If reading the store fails.
        """
        state: State = self._row(id, "state").state
        return state

    def all(self, start: str = "") -> Iterator[RecordedRun]:
        """Yield all runs whose id starts like this, newest first; `process` is the number of their process.

        Raises:
            StoreError: If reading the store fails.
        """
        own = func.substr(RUNS.c.id, 1, len(start)) == start
        wanted = select(RUNS).where(RUNS.c.state != _DELETED, own).order_by(RUNS.c.number.desc())
        rows: list[Any] = self._do("read", lambda connection: list(connection.execute(wanted).mappings()))
        return map(self._run, rows)

    def mark_deleted(self, runs: Iterable[RecordedRun]) -> list[RecordedRun]:
        """Hide runs that are about to be deleted, except those that have been resumed meanwhile; return them.

        Raises:
            StoreError: If writing to the store fails.
        """

        def write(connection: Connection) -> list[RecordedRun]:
            return [run for run in runs if connection.execute(_marked(run)).rowcount == 1]

        return self._do("write", write)

    def marked(self) -> list[str]:
        """Return the ids of the runs that are about to be deleted, including those whose deletion was interrupted.

        Raises:
            StoreError: If reading the store fails.
        """
        wanted = select(RUNS.c.id).where(RUNS.c.state == _DELETED)
        return self._do("read", lambda connection: list(connection.execute(wanted).scalars()))

    def delete(self, id: str) -> None:
        """Delete a run and its questions; its items have to be deleted before.

        Raises:
            StoreError: If writing to the store fails.
        """

        def write(connection: Connection) -> None:
            connection.execute(delete(APPROVALS).where(APPROVALS.c.run == id))
            connection.execute(delete(RUNS).where(RUNS.c.id == id))

        self._do("write", write)

    def versions_of(self, id: str) -> tuple[str, dict[str, str]]:
        """Return the version of a run's definition, and the versions of the software that it was last started with.

        Raises:
            StoreError: If reading the store fails.
        """
        row = self._row(id, "version", "software")
        return row.version, json.loads(row.software)

    def request_of(self, id: str) -> dict[str, Any]:
        """Return everything needed to repeat a run, as passed to `begin`.

        Raises:
            StoreError: If reading the store fails.
        """
        request: dict[str, Any] = json.loads(self._row(id, "request").request)
        return request

    def under_way(self, versions: Iterable[str]) -> dict[str, str]:
        """Return the ids of the active runs that have one of these versions, each with its version.

        Raises:
            SQLAlchemyError: If reading the store fails.
        """
        wanted = RUNS.c.version.in_(list(versions)) & (RUNS.c.state == "running")
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(select(RUNS.c.id, RUNS.c.version).where(wanted))}

    def _run(self, row: Mapping[str, Any]) -> RecordedRun:
        state: State = row["state"]
        if state == "running" and not attempted(self._url, "read", lambda: self._join().is_alive(row["process"])):
            state = "killed"
        columns = {name: row[name] for name in _AS_IT_STANDS}
        request, definition = (json.loads(row[name]) for name in ("request", "definition"))
        return RecordedRun(**columns, state=state, of=None, unit="items", request=request, definition=definition)

    def _update(self, run: str, **values: Any) -> None:
        change = update(RUNS).where(RUNS.c.id == run).values(**values)
        self._do("write", lambda connection: connection.execute(change))

    def _row(self, run: str, *columns: str) -> Any:
        wanted = select(*(RUNS.c[name] for name in columns)).where(RUNS.c.id == run)
        return self._do("read", lambda connection: connection.execute(wanted).one())

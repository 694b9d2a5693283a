"""Stored runs: what a store keeps of each run, and who follows it."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, insert, select, update

from toolkit.durable.engines import StoreError, attempted, transacted
from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.stored_approvals import StoredApprovals
from toolkit.durable.tables import RUNS
from toolkit.journals.kept_runs import KeptRun, State
from toolkit.releases import software_versions

if TYPE_CHECKING:
    from toolkit.durable.presences import Presence

_AS_IT_STANDS: Final = ("number", "id", "target", "began", "ended", "done", "failed", "error", "process")
"""The columns of a run that are fields of its value, too."""


class StoredRuns:
    """The runs in a store; safe to use from several threads."""

    def __init__(self, engine: Engine, url: StoreUrl, join: "Callable[[], Presence]") -> None:
        """Keep where they are.

        Args:
            engine: The connections to the store.
            url: Where it is.
            join: Returns the presence of this process, which runs that it begins are followed by.
        """
        self._engine, self._url, self._join = engine, url, join
        self._do = partial(transacted, engine, url)
        self._approvals = StoredApprovals(engine, url)

    def begin(
        self,
        id: str,  # noqa: A002 - its name everywhere
        target: str,
        tool: str,
        *,
        request: Mapping[str, Any],
        definition: Mapping[str, str],
        version: str,
        name: str | None = None,
    ) -> None:
        """Keep that a run begins.

        Args:
            id: Its unique id.
            target: What is run, as it was named.
            tool: The name of the tool.
            request: What it takes to run it again, as plain data without secrets.
            definition: The digest of each file that it was made of.
            version: The version of its definition, the same on any machine.
            name: The schedule that began it, if one did.

        Raises:
            StoreError: If it cannot be written.
        """
        row = {
            "id": id, "state": "running", "target": target, "tool": tool, "began": time.time(), "done": 0, "failed": 0,
            "request": json.dumps(request), "definition": json.dumps(definition), "version": version,
            "software": json.dumps(software_versions("dbos")), "process": self._join().number, "name": name,
        }  # fmt: skip
        self._do("write", lambda connection: connection.execute(insert(RUNS).values(**row)))

    def resume(self, run: KeptRun, definition: Mapping[str, str], version: str) -> None:
        """Keep that a run goes on, with what is there now; with another definition, no answer to its questions counts.

        Raises:
            StoreError: If somebody does its work, or it cannot be written.
        """
        if self.is_followed(run):
            raise StoreError(f"the run '{run.id}' is under way, in another process")
        if dict(definition) != run.definition:
            self._approvals.withdraw(run.id)
        values = {"definition": json.dumps(definition), "version": version, "process": self._join().number}
        software = json.dumps(software_versions("dbos"))
        self._update(run.id, state="running", ended=None, error=None, software=software, **values)

    def is_followed(self, run: KeptRun) -> bool:
        """Return whether the process that submits the items of a run, and takes what comes of them, still does so.

        A worker that has begun a run for a schedule is there after its end, too.

        Raises:
            StoreError: If the store cannot be read.
        """
        presence = self._join()
        if run.state != "running" or run.process == presence.number:
            return False
        return attempted(self._url, "read", lambda: presence.is_alive(run.process))

    def count(self, id: str, done: int, failed: int) -> None:  # noqa: A002 - its name everywhere
        """Keep how many items of a run have ended well, and how many have failed.

        Raises:
            StoreError: If it cannot be written.
        """
        self._update(id, done=done, failed=failed)

    def finish(self, id: str, state: State, error: str | None = None) -> None:  # noqa: A002 - as above
        """Keep how a run ended; workers take on no more of its items then.

        Raises:
            StoreError: If it cannot be written.
        """
        self._update(id, state=state, error=error, ended=time.time())

    def cancel(self, id: str) -> None:  # noqa: A002 - as above
        """End a run: those that follow it end, and workers take no more of its items.

        Raises:
            StoreError: If it cannot be written.
        """
        self.finish(id, "cancelled")

    def state_of(self, id: str) -> State:  # noqa: A002 - as above
        """Return the state of a run as it was written last.

        Raises:
            StoreError: If it cannot be read.
        """
        state: State = self._row(id, "state").state
        return state

    def all(self) -> list[KeptRun]:
        """Return all runs, the newest first; their `process` is the number of the one that follows them.

        Raises:
            StoreError: If they cannot be read.
        """
        wanted = select(RUNS).order_by(RUNS.c.number.desc())
        rows: list[Any] = self._do("read", lambda connection: list(connection.execute(wanted).mappings()))
        return [self._run(row) for row in rows]

    def versions_of(self, id: str) -> tuple[str, dict[str, str]]:  # noqa: A002 - as above
        """Return the version of what a run does, and those of the programs that it began with.

        Raises:
            StoreError: If it cannot be read.
        """
        row = self._row(id, "version", "software")
        return row.version, json.loads(row.software)

    def request_of(self, id: str) -> dict[str, Any]:  # noqa: A002 - as above
        """Return what it takes to run something again, as it was kept.

        Raises:
            StoreError: If it cannot be read.
        """
        request: dict[str, Any] = json.loads(self._row(id, "request").request)
        return request

    def under_way(self, versions: Iterable[str]) -> dict[str, str]:
        """Return the runs under way that have one of these versions, each with its version.

        Raises:
            SQLAlchemyError: If they cannot be read.
        """
        wanted = RUNS.c.version.in_(list(versions)) & (RUNS.c.state == "running")
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(select(RUNS.c.id, RUNS.c.version).where(wanted))}

    def _run(self, row: Mapping[str, Any]) -> KeptRun:
        state: State = row["state"]
        if state == "running" and not attempted(self._url, "read", lambda: self._join().is_alive(row["process"])):
            state = "killed"
        columns = {name: row[name] for name in _AS_IT_STANDS}
        request, definition = (json.loads(row[name]) for name in ("request", "definition"))
        return KeptRun(**columns, state=state, of=None, unit="items", request=request, definition=definition)

    def _update(self, run: str, **values: Any) -> None:
        change = update(RUNS).where(RUNS.c.id == run).values(**values)
        self._do("write", lambda connection: connection.execute(change))

    def _row(self, run: str, *columns: str) -> Any:
        """Return columns of a run."""
        wanted = select(*(RUNS.c[name] for name in columns)).where(RUNS.c.id == run)
        return self._do("read", lambda connection: connection.execute(wanted).one())

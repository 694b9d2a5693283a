"""A store: a database of runs, whose items are submitted by one process and run by any number of workers."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Self

from toolkit.errors import ConfigurationError
from toolkit.releases import software_versions
from toolkit.stores.databases import is_alive
from toolkit.stores.engines import APPLICATION, EngineDatabase, EngineLog, need_engine, storage_errors
from toolkit.stores.locks import HAS_LOCKS, locks_beside
from toolkit.stores.store_urls import StoreUrl
from toolkit.stores.stored_approvals import StoredApprovals
from toolkit.stores.stored_runs import StoredRuns

if TYPE_CHECKING:
    from dbos import DBOSClient

    from toolkit.approvals.requests import ApprovalAnswer, PendingApproval
    from toolkit.stores.presences import Presence, Present
    from toolkit.stores.recorded_runs import RecordedRun, RecordedStep


class Store:
    """A database of runs and their items. Thread-safe.

    Attributes:
        url: The URL of the store.
        database: The database, with the connection pool of SQLAlchemy.
        client: The DBOS client, which submits work without running any.
        runs: The runs.
        items: The items of runs, with a queue for each tool.
        schedules: The schedules of recurring runs.
        approvals: The questions of runs that wait for answers.
        limits: The limits of tools across all workers.
    """

    def __init__(self, url: StoreUrl, *, makes: bool = True) -> None:
        """Open a store.

        Args:
            url: The URL of the store.
            makes: Whether to create the store if it does not exist.

        Raises:
            ConfigurationError: If the extra `durable` is missing, the store does not exist, or it was written by
                another version of this program.
            StoreError: If the store cannot be reached, or the database is not a store.
        """
        need_engine()
        self.url = url
        self._log = EngineLog()
        if url.file is not None and not makes and not url.file.exists():
            raise ConfigurationError(f"the store '{url.shown}' does not exist")
        self.database = EngineDatabase(url)
        with storage_errors(url, "open"), nullcontext() if url.file is None else locks_beside(url.file).opening():
            try:
                self.client = self._open(makes=makes)
            except BaseException:
                self.database.close()
                raise
        self._presence: Presence | None = None
        self._create_parts()

    def _open(self, *, makes: bool) -> "DBOSClient":
        from dbos import DBOS, DBOSClient
        from sqlalchemy.exc import OperationalError

        from toolkit.stores.serializers import JsonSerializer, refuse_pickle

        refuse_pickle()
        with suppress(OperationalError) if makes else nullcontext():  # a database of a server may not be there yet
            self.database.check_version()
        if makes:
            DBOS.migrate(self.database.engine.url.render_as_string(hide_password=False).replace("+psycopg", "", 1))
            self.database.check_version()
            self.database.make_tables()
        return DBOSClient(
            system_database_engine=self.database.engine,
            serializer=JsonSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    def _create_parts(self) -> None:
        """Create the parts of the store; their modules import SQLAlchemy and DBOS."""
        from toolkit.stores.item_queues import ItemQueues  # not needed for --help
        from toolkit.stores.stored_limits import StoredLimits
        from toolkit.stores.stored_schedules import StoredSchedules

        self.runs = StoredRuns(self.database, self.join, lambda: software_versions("dbos"))
        self.items = ItemQueues(self.client, self.database)
        self.schedules = StoredSchedules(self.client, self.database)
        self.approvals = StoredApprovals(self.database)
        self.limits = StoredLimits(self.database, lambda: self.join().number)

    def __enter__(self) -> Self:
        """Return this store; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the store, and unregister this process from it."""
        if self._presence is not None:
            self._presence.leave()
        with suppress(Exception):  # everything has been written already
            self.client.destroy()
        with suppress(Exception):
            self.database.close()

    def all(self) -> "Iterator[RecordedRun]":
        """Yield all runs, newest first.

        Raises:
            StoreError: If reading the store fails.
        """
        return self.runs.all()

    def find(self, start: str) -> "list[RecordedRun]":
        """Return the runs whose id starts like this, newest first.

        Raises:
            StoreError: If reading the store fails.
        """
        return list(self.runs.all(start))

    def steps(self, run: "RecordedRun", *, since: float = 0.0) -> "Iterator[RecordedStep]":
        """Yield the last attempt at each item of a run, in the order of the items, except those that wait.

        Args:
            run: The run.
            since: If not 0, yield only items that ended after this time, in seconds since 1970.

        Raises:
            StoreError: If reading the store fails.
        """
        latest = {step.path: step for step in self.items.of(run)}
        steps = sorted(latest.values(), key=lambda step: int(step.path))  # the times of some stores are whole seconds
        return (one for one in steps if one.status != "waiting" and (not since or (one.ended or 0.0) > since))

    def in_doubt(self, run: "RecordedRun") -> "list[RecordedStep]":
        """Return nothing: the worker of each item reports its own doubts, and the other items continue."""
        return []

    def cancel(self, run: "RecordedRun") -> None:
        """Cancel a run. The process that follows it ends, and workers take no more of its items.

        Raises:
            StoreError: If writing to the store fails.
        """
        self.runs.cancel(run.id)

    def open_questions(self) -> "list[PendingApproval]":
        """Return the open approval questions of all runs, oldest first.

        Raises:
            StoreError: If reading the store fails.
        """
        return self.approvals.all_open()

    def answer(self, id: str, answer: "ApprovalAnswer") -> bool:
        """Record the answer to a question, and return whether the question was still open.

        Raises:
            StoreError: If writing to the store fails.
        """
        return self.approvals.answer(id, answer)

    def prune(self, runs: "Iterable[RecordedRun]") -> "list[RecordedRun]":
        """Delete runs with everything that belongs to them, except those that have been resumed meanwhile.

        Returns:
            The deleted runs. Call `compact` to free the space that they took.

        Raises:
            StoreError: If writing to the store fails.
        """
        deleted = self.runs.mark_deleted(runs)
        for run in self.runs.marked():
            self.items.delete(run.id)
            self.runs.delete(run)
        return deleted

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes the file of the store is smaller.

        A server reuses the space, and returns what it can to the file system.

        Raises:
            StoreError: If writing to the store fails.
        """
        return self.database.compact()

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> "Presence":
        """Register this process with the store unless it is registered already, and return its presence.

        Args:
            jobs: How many items this process runs in parallel; 0 if it is not a worker.
            versions: The versions of the tools that it can run.

        Raises:
            ConfigurationError: If the system does not support the file locks of an SQLite store.
            StoreError: If writing to the store fails.
        """
        from toolkit.stores.presences import Presence  # only needed to register

        if self.url.file is not None and not HAS_LOCKS:
            raise ConfigurationError("an SQLite store needs byte locks, which this system lacks: use PostgreSQL")
        if self._presence is None:
            self._presence = Presence(self.database, jobs=jobs, tools=" ".join(versions))
        return self._presence

    def workers_for(self, version: str) -> "list[Present]":
        """Return the live workers that can run tools of this version; these may include this process.

        Raises:
            StoreError: If reading the store fails.
        """
        from toolkit.stores.presences import known_processes

        able = [one for one in known_processes(self.database) if one.jobs and version in one.tools.split()]
        return [one for one in able if is_alive(self.database, one.number)]

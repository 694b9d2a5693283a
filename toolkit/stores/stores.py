"""A store: a database of runs, whose items are submitted by one process and run by any number of workers."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Self

from toolkit.errors import ConfigurationError
from toolkit.stores.databases import compact_file
from toolkit.stores.engines import APPLICATION, EngineLog, attempted, connect, need_engine, storage_errors, vacuum
from toolkit.stores.file_locks import locks_beside
from toolkit.stores.store_urls import StoreUrl

if TYPE_CHECKING:
    from dbos import DBOSClient
    from sqlalchemy import Engine

    from toolkit.approvals.requests import ApprovalAnswer, PendingApproval
    from toolkit.stores.presences import Presence, Present
    from toolkit.stores.recorded_runs import RecordedRun, RecordedStep


class Store:
    """A database of runs and their items. Thread-safe.

    Attributes:
        url: The URL of the store.
        engine: The SQLAlchemy connection pool.
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
            ConfigurationError: If the extra `durable` is missing, or the store does not exist.
            StoreError: If the store cannot be reached, or the database is not a store.
        """
        need_engine()
        self.url = url
        self._log = EngineLog()
        if url.file is not None and not makes and not url.file.exists():
            raise ConfigurationError(f"the store '{url.shown}' does not exist")
        self.engine: Engine = connect(url)
        with storage_errors(url, "open"), nullcontext() if url.file is None else locks_beside(url.file).opening():
            self.client = self._open(makes=makes)
        self._presence: Presence | None = None
        self._create_parts()

    def _open(self, *, makes: bool) -> "DBOSClient":
        from dbos import DBOS, DBOSClient

        from toolkit.stores.serializers import JsonSerializer, refuse_pickle
        from toolkit.stores.store_tables import make_tables

        refuse_pickle()
        if makes:
            DBOS.migrate(self.engine.url.render_as_string(hide_password=False).replace("+psycopg", "", 1))
            make_tables(self.engine)
        return DBOSClient(
            system_database_engine=self.engine,
            serializer=JsonSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    def _create_parts(self) -> None:
        """Create the parts of the store; their modules import SQLAlchemy and DBOS."""
        from toolkit.stores.item_queues import ItemQueues  # not needed for --help
        from toolkit.stores.stored_limits import StoredLimits
        from toolkit.stores.stored_runs import StoredApprovals, StoredRuns
        from toolkit.stores.stored_schedules import StoredSchedules

        self.runs = StoredRuns(self.engine, self.url, self.join)
        self.items = ItemQueues(self.client, self.engine, self.url)
        self.schedules = StoredSchedules(self.client, self.url)
        self.approvals = StoredApprovals(self.engine, self.url)
        self.limits = StoredLimits(self.engine, self.url, lambda: self.join().number)

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
            self.engine.dispose()

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
        """Yield the last attempt at each item of a run, in the order in which they began, except items that wait.

        Args:
            run: The run.
            since: If not 0, yield only items that ended after this time, in seconds since 1970.

        Raises:
            StoreError: If reading the store fails.
        """
        latest = {step.path: step for step in self.items.of(run)}
        steps = sorted(latest.values(), key=lambda step: step.began or step.ended or 0.0)
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
        for id in self.runs.marked():
            self.items.delete(id)
            self.runs.delete(id)
        return deleted

    def compact(self) -> int:
        """Free the space of deleted runs, and return how many bytes the file of the store is smaller.

        A server reuses the space, and returns what it can to the file system.

        Raises:
            StoreError: If writing to the store fails.
        """
        with storage_errors(self.url, "write"):
            if self.url.file is not None:
                return compact_file(self.url.file)
            vacuum(self.engine)
        return 0

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> "Presence":
        """Register this process with the store unless it is registered already, and return its presence.

        Args:
            jobs: How many items this process runs in parallel; 0 if it is not a worker.
            versions: The versions of the tools that it can run.

        Raises:
            StoreError: If writing to the store fails.
        """
        from toolkit.stores.presences import Presence  # only needed to register

        if self._presence is None:
            with storage_errors(self.url, "write"):
                self._presence = Presence(self.engine, self.url, jobs=jobs, tools=" ".join(versions))
        return self._presence

    def workers_for(self, version: str) -> "list[Present]":
        """Return the live workers that can run tools of this version; these may include this process.

        Raises:
            StoreError: If reading the store fails.
        """
        from toolkit.stores.presences import known_processes

        presence = self.join()
        known = attempted(self.url, "read", lambda: known_processes(self.engine))
        able = [one for one in known if one.jobs and version in one.tools.split()]
        return attempted(self.url, "read", lambda: [one for one in able if presence.is_alive(one.number)])

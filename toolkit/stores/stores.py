"""A store: a database of runs, whose items are submitted by one process and run by any number of workers."""

from collections.abc import Iterable
from contextlib import nullcontext, suppress

# First, since it says what to install if there is no engine.
from toolkit.stores.engine_databases import APPLICATION, EngineDatabase, EngineLog, storage_errors

# isort: split
from dbos import DBOS, DBOSClient
from sqlalchemy.exc import OperationalError

from toolkit.errors import ConfigurationError
from toolkit.releases import software_versions
from toolkit.stores.databases import StoreUrl, is_alive
from toolkit.stores.dbos_parts import JsonSerializer, refuse_pickle
from toolkit.stores.locks import HAS_LOCKS, locks_beside
from toolkit.stores.presences import Presence, Present, known_processes
from toolkit.stores.recorded_runs import RecordedRun, RecordedStep, StoredItem
from toolkit.stores.run_stores import RunStore
from toolkit.stores.stored_limits import StoredLimits
from toolkit.stores.stored_work import ItemQueues, StoredSchedules


class Store(RunStore):
    """A database of runs and their items. Thread-safe.

    Attributes:
        url: The URL of the store.
        database: The database, with the connection pool of SQLAlchemy.
        client: The DBOS client, which submits work without running any.
        items: The items of runs, with a queue for each tool.
        schedules: The schedules of recurring runs.
        limits: The limits of tools across all workers.
    """

    url: StoreUrl
    database: EngineDatabase

    def __init__(self, url: StoreUrl, *, makes: bool = True) -> None:
        """Open a store.

        Args:
            url: The URL of the store.
            makes: Whether to create the store if it does not exist.

        Raises:
            ConfigurationError: If the store does not exist, or it was written by another version of this program.
            StoreError: If the store cannot be reached, or the database is not a store.
        """
        self._log = EngineLog()
        if url.file is not None and not makes and not url.file.exists():
            raise ConfigurationError(f"the store '{url.shown}' does not exist")
        database = EngineDatabase(url)
        super().__init__(database, lambda: software_versions("dbos"))
        self.url, self.database = url, database
        with storage_errors(url, "open"), nullcontext() if url.file is None else locks_beside(url.file).opening():
            try:
                self.client = self._open(makes=makes)
            except BaseException:
                self.database.close()
                raise
        self.items = ItemQueues(self.client, self.database)
        self.schedules = StoredSchedules(self.client, self.database)
        self.limits = StoredLimits(self.database, lambda: self.join().number)

    def _open(self, *, makes: bool) -> DBOSClient:
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

    def close(self) -> None:
        """Close the store, and unregister this process from it."""
        self._leave()
        with suppress(Exception):  # everything has been written already
            self.client.destroy()
        with suppress(Exception):
            super().close()

    def item(self, run: RecordedRun, number: int) -> StoredItem | None:
        """Return an item of a batch with its arguments, as they were in its last attempt; `None` if there is none.

        Raises:
            StoreError: If the store cannot be read.
        """
        known = self.items.known_of(run.id, [number])
        return known[number].item if number in known else None

    def in_doubt(self, run: RecordedRun) -> list[RecordedStep]:
        """Return nothing: the worker of each item reports its own doubts, and the other items continue."""
        return []

    def _delete(self, run: RecordedRun) -> None:
        self.items.delete(run.id)
        super()._delete(run)

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> Presence:
        """Register this process with the store unless it is registered already, and return its presence.

        Args:
            jobs: How many items this process runs in parallel; 0 if it is not a worker.
            versions: The versions of the tools that it can run.

        Raises:
            ConfigurationError: If the system does not support the file locks of an SQLite store.
            StoreError: If writing to the store fails.
        """
        if self.database.url.file is not None and not HAS_LOCKS:
            raise ConfigurationError("an SQLite store needs byte locks, which this system lacks: use PostgreSQL")
        return super().join(jobs=jobs, versions=versions)

    def workers_for(self, version: str) -> list[Present]:
        """Return the live workers that can run tools of this version; these may include this process.

        Raises:
            StoreError: If reading the store fails.
        """
        able = [one for one in known_processes(self.database) if one.jobs > 0 and version in one.tools.split()]
        return [one for one in able if is_alive(self.database, one.number)]

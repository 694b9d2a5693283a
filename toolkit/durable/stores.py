"""Stores: runs and their items in a database, submitted by one process and done by any number of workers."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from toolkit.durable.engine_names import APPLICATION
from toolkit.durable.engines import EngineLog, attempted, connect, need_engine, storage_errors
from toolkit.durable.file_locks import opening
from toolkit.durable.store_urls import StoreUrl
from toolkit.errors import ConfigurationError

if TYPE_CHECKING:
    from dbos import DBOSClient
    from sqlalchemy import Engine

    from toolkit.durable.presences import Presence, Present


class Store:
    """Runs and their items in a database; safe to use from several threads.

    Attributes:
        url: Where it is.
        engine: The connections to it.
        client: The engine's client, through which everything is submitted: a process that is launched takes on work.
        runs: The runs.
        items: The items of runs, in a queue for each tool.
        schedules: The schedules, which begin runs again and again.
        approvals: The questions of runs that wait for answers.
        limits: The limits of tools, which hold for all workers together.
    """

    def __init__(self, url: StoreUrl, *, makes: bool = True) -> None:
        """Open it.

        Args:
            url: Where it is.
            makes: Whether it is made if it is not there.

        Raises:
            ConfigurationError: If the extra `durable` is missing, or it is not there.
            StoreError: If it cannot be reached, or is not one.
        """
        need_engine()
        self.url = url
        self._log = EngineLog()
        if url.file is not None and not makes and not url.file.exists():
            raise ConfigurationError(f"there is no store '{url.shown}'")
        self.engine: Engine = connect(url)
        with storage_errors(url, "open"), opening(url.file):
            self.client = self._open(makes=makes)
        self._presence: Presence | None = None
        self._furnish()

    def _open(self, *, makes: bool) -> "DBOSClient":
        from dbos import DBOS, DBOSClient

        from toolkit.durable.serializers import JsonSerializer, refuse_pickle  # noqa: PLC0415 - as above
        from toolkit.durable.tables import make_tables  # noqa: PLC0415 - as above

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

    def _furnish(self) -> None:
        """Open the parts of the store, which need what the engine is made of."""
        from toolkit.durable.item_queues import ItemQueues  # noqa: PLC0415 - help needs none of it
        from toolkit.durable.stored_approvals import StoredApprovals  # noqa: PLC0415 - as above
        from toolkit.durable.stored_limits import StoredLimits  # noqa: PLC0415 - as above
        from toolkit.durable.stored_runs import StoredRuns  # noqa: PLC0415 - as above
        from toolkit.durable.stored_schedules import StoredSchedules  # noqa: PLC0415 - as above

        self.runs = StoredRuns(self.engine, self.url, self.join)
        self.items = ItemQueues(self.client, self.engine, self.url)
        self.schedules = StoredSchedules(self.client, self.url)
        self.approvals = StoredApprovals(self.engine, self.url)
        self.limits = StoredLimits(self.engine, self.url, lambda: self.join().number)

    def __enter__(self) -> Self:
        """Use it until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close it; what this process had begun there is known to have no one any more."""
        if self._presence is not None:
            self._presence.leave()
        with suppress(Exception):  # nothing is left to be written
            self.client.destroy()
            self.engine.dispose()

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> "Presence":
        """Register this process with the store, once, and return its presence there.

        Args:
            jobs: How many items it does side by side.
            versions: What it can do.

        Raises:
            StoreError: If that cannot be written.
        """
        from toolkit.durable.presences import Presence  # noqa: PLC0415 - only who works needs it

        if self._presence is None:
            with storage_errors(self.url, "write"):
                self._presence = Presence(self.engine, self.url, jobs=jobs, tools=" ".join(versions))
        return self._presence

    def workers_for(self, version: str) -> "list[Present]":
        """Return the living workers that can do what has this version, this process among them.

        Raises:
            StoreError: If the store cannot be read.
        """
        from toolkit.durable.presences import known_processes  # noqa: PLC0415 - as above

        presence = self.join()
        known = attempted(self.url, "read", lambda: known_processes(self.engine))
        able = [one for one in known if one.jobs and version in one.tools.split()]
        return attempted(self.url, "read", lambda: [one for one in able if presence.is_alive(one.number)])

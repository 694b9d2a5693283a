"""Workers: processes that run the items in a store, and take over the work of workers that have died."""

import threading
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final, Protocol, Self

from dbos import DBOS
from sqlalchemy.exc import SQLAlchemyError

from toolkit.errors import Signal
from toolkit.runs.records import JournalError
from toolkit.stores.dbos_parts import JsonSerializer, adopt, listen_to, restrict, watch_outcomes
from toolkit.stores.engine_databases import (
    APPLICATION,
    POLLING,
    SCHEDULED,
    WORKFLOW,
    EngineLog,
    StoreError,
    is_away,
    patiently,
    queue_of,
    reason_of,
    schedules_of,
)
from toolkit.stores.recorded_runs import ItemEnd, StoredItem
from toolkit.stores.run_journals import InDoubt, ItemJournal, Lost
from toolkit.stores.stored_limits import Permits, Stopped
from toolkit.stores.stores import Store

GLANCE: Final = 1.0
"""Seconds between checks for dead processes and new runs."""
_PATIENCE: Final = 5.0
_FORMAT: Final = "toolkit-1"
"""The version of the format of stored items; workers with another version do not take them."""


class Do(Protocol):
    """Runs an item, and returns its outcome even if the item fails."""

    def __call__(self, item: StoredItem, version: str, journal: ItemJournal) -> ItemEnd:
        """Run the item.

        Args:
            item: The item.
            version: The version of its run's definition.
            journal: Records its steps.

        Raises:
            Signal: If something ends more than this item, such as the whole run.
        """


class Begin(Protocol):
    """Runs a complete run that a schedule begins."""

    def __call__(self, id: str, record: Mapping[str, Any], wait: Callable[[float], None]) -> None:
        """Do the run.

        Args:
            id: The id of the run.
            record: The record of the schedule.
            wait: Sleeps for a number of seconds. If the worker stops, it raises an exception that ends the run in
                this process, so that another worker continues it.
        """


class Worker:
    """Runs items from the queues of a store in background threads. Use it as a context manager."""

    def __init__(
        self,
        store: Store,
        tools: Mapping[str, str],
        do: Do,
        *,
        jobs: int = 1,
        only: str | None = None,
        begin: Begin | None = None,
    ) -> None:
        """Create a worker; it starts when the context manager is entered.

        Args:
            store: The store to take items from.
            tools: Names of the tools that the worker can run, by the versions of their definitions.
            do: Runs an item.
            jobs: Maximum number of items to run in parallel.
            only: The id of the only run to work on; all runs by default.
            begin: Runs a complete run that a schedule begins; without it, schedules are ignored.
        """
        self._store, self._tools, self._do, self._only = store, tools, do, only
        self._begin = begin
        self._permits = Permits(jobs, POLLING)
        self._jobs = jobs
        self._served: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._over = threading.Event()
        self._failure: BaseException | None = None
        self._failed = threading.Event()
        self._engine: DBOS | None = None
        self._monitor_thread = threading.Thread(target=self._monitor, name="toolkit worker", daemon=True)

    def __enter__(self) -> Self:
        """Start the worker.

        Raises:
            StoreError: If reading or writing the store fails.
        """
        presence = self._store.join(jobs=self._jobs, versions=self._tools)
        presence.has_work = True
        for name in set(self._tools.values()):
            self._store.items.open(name, replaces=False)
        try:
            self._store.limits.refresh()
            self._engine = self._launch(presence.executor)
            self._served = self._runs_to_serve()
        except JournalError:
            self.__exit__()
            raise
        except (OSError, SQLAlchemyError) as error:
            self.__exit__()
            raise StoreError(f"cannot use the store '{self._store.url.shown}': {reason_of(error)}") from error
        self._monitor_thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the worker. Running items get a few seconds to finish; unfinished ones are left to other workers."""
        self._over.set()
        self._store.limits.end()
        self._permits.end()
        self._permits.wait_for_all(_PATIENCE if self._failure is None else 0.0)
        if self._monitor_thread.ident is not None:
            self._monitor_thread.join(_PATIENCE)
        DBOS.destroy(destroy_registry=True)

    def check(self) -> None:
        """Check that the worker is still running.

        Raises:
            StoreError: If it has stopped because the store failed.
        """
        if self._failure is not None:
            where = f"the store '{self._store.url.shown}' failed, so the worker has stopped"
            raise StoreError(f"{where}: {reason_of(self._failure)}") from self._failure

    def wait(self, seconds: float) -> None:
        """Wait for `seconds`, or until the worker has stopped because of an error.

        Raises:
            StoreError: If it has stopped because the store failed.
        """
        self._failed.wait(seconds)
        self.check()

    def _launch(self, executor: str) -> "DBOS":
        EngineLog(self._fail)
        engine = DBOS(
            config={
                "name": APPLICATION,
                "system_database_engine": self._store.database.engine,
                "serializer": JsonSerializer(),
                "executor_id": executor,
                "application_version": _FORMAT,
                "use_listen_notify": False,
                "run_migrations": False,
                "log_level": "WARNING",
            }
        )
        # No maximum: the engine must not give up on an item that is taken over again and again.
        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(lambda request: self._do_item(request))  # noqa: PLW0108 - the engine sets attributes, which methods do not allow
        if self._begin is not None:
            DBOS.workflow(name=SCHEDULED, max_recovery_attempts=None)(lambda at, request: self._do_run(at, request))  # noqa: PLW0108 - as above
        listen_to(engine, ())
        DBOS.launch()
        restrict(engine, self._runs, self._permits.room)
        watch_outcomes(engine, self._permits.release, self._fail)
        names = set(self._tools.values())
        listen_to(engine, [*map(queue_of, names), *(map(schedules_of, names) if self._begin is not None else ())])
        return engine

    # ------------------------------------------------------------------------------------------------ in each thread

    def _do_item(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run an item. A returned outcome is final; after an exception, the item stays in the store to be run again."""
        item = StoredItem(**request)
        self._permits.take()
        try:
            return self._do(item, self._served.get(item.run, ""), self._journal_of(item))._asdict()
        except Lost as lost:
            self._permits.release()
            raise Stopped from lost
        except InDoubt as doubt:
            return ItemEnd("doubtful", str(doubt))._asdict()
        except JournalError as error:
            self._fail(error)
            self._permits.release()
            raise Stopped from error
        except Signal as ending:
            return ItemEnd("ended", str(ending))._asdict()

    def _journal_of(self, item: StoredItem) -> ItemJournal:
        if item.run not in self._numbers:
            self._numbers[item.run] = self._store.runs.get(item.run).number
        process = self._store.join().number
        return ItemJournal(self._store.database, item, run=self._numbers[item.run], process=process)

    def _do_run(self, at: str, request: dict[str, Any]) -> None:
        """Do a scheduled run. If it was taken over, it continues, because its id is derived from the scheduled time."""
        try:
            if self._begin is not None:
                self._begin(sha256(f"{request['name']} {at}".encode()).hexdigest()[:12], request, self._wait_inside)
        except JournalError as error:
            self._fail(error)
            raise Stopped from error

    def _wait_inside(self, seconds: float) -> None:
        """Sleep in a thread of the engine, unless the worker stops."""
        if self._over.wait(seconds):
            raise Stopped

    def _runs(self) -> Mapping[str, str]:
        return self._served

    # ----------------------------------------------------------------------------------------------- beside the work

    def _monitor(self) -> None:
        """Until the worker stops: report that it is alive, find new runs, and take over the work of dead processes."""
        while not self._over.wait(GLANCE):
            try:
                patiently(self._check_store)
            except Exception as error:  # noqa: BLE001 - without this thread, the worker cannot continue
                self._stop(error)
                return

    def _check_store(self) -> None:
        presence = self._store.join()
        presence.check()
        self._store.limits.refresh()  # a run's limits are stored before the run
        self._served = self._runs_to_serve()
        for other in presence.others():
            if presence.lock_if_dead(other.number):
                self._adopt(other.executor)
                presence.forget(other.number)

    def _runs_to_serve(self) -> dict[str, str]:
        found = self._store.runs.under_way(self._tools)
        return found if self._only is None else {run: version for run, version in found.items() if run == self._only}

    def _adopt(self, executor: str) -> None:
        if self._engine is not None:
            adopt(self._engine, executor)

    def _fail(self, error: BaseException) -> None:
        """Stop because the store failed, unless its server is only unavailable; no further outcomes are stored."""
        if not self._over.is_set() and not is_away(error):
            self._stop(error)

    def _stop(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._permits.end()
        self._failed.set()

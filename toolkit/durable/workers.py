"""Workers: processes that do the items of runs in a store, and adopt what those were doing that have died."""

import threading
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from toolkit.durable.engine_names import APPLICATION, POLLING, SCHEDULED, WORKFLOW, queue_of, schedules_of
from toolkit.durable.engines import EngineLog, StoreError, is_away, patiently, reason_of
from toolkit.durable.permits import Permits, Stopped
from toolkit.durable.stored_items import ItemEnd, StoredItem
from toolkit.durable.stores import Store
from toolkit.errors import Signal
from toolkit.runs.journal import JournalError

if TYPE_CHECKING:
    from dbos import DBOS

    from toolkit.durable.workflow_journals import WorkflowJournal

GLANCE: Final = 1.0
"""Seconds between two looks at who has died, and at what is to be done."""
_PATIENCE: Final = 5.0
_FORMAT: Final = "toolkit-1"
"""The version of what stands in a store: workers of another do not take it on."""


class Do(Protocol):
    """Does an item, whatever comes of it; what ends the worker is raised."""

    def __call__(self, item: StoredItem, version: str, journal: "WorkflowJournal") -> ItemEnd:
        """Do it.

        Args:
            item: The item.
            version: The version of the definition of its run.
            journal: Keeps its steps.

        Raises:
            Signal: What ends more than this item.
        """


class Begin(Protocol):
    """Does a whole run that a schedule begins."""

    def __call__(self, id: str, record: Mapping[str, Any], wait: Callable[[float], None]) -> None:  # noqa: A002 - its name everywhere
        """Do it.

        Args:
            id: The id of the run.
            record: The record of the schedule.
            wait: Waits for so many seconds; at the end of the worker it raises what ends the run here, so that another
                worker continues it.
        """


class Worker:
    """Takes items out of the queues of a store, in threads of its own, from its start to its end."""

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
        """Keep what it does.

        Args:
            store: Where the items are.
            tools: What it can do: the names of tools, by the versions of their definitions.
            do: Does an item.
            jobs: How many items it does side by side.
            only: The one run whose items it does; any that it can by default.
            begin: Does a whole run that a schedule begins; without it none are.
        """
        self._store, self._tools, self._do, self._only = store, tools, do, only
        self._begin = begin
        self._permits = Permits(jobs, POLLING)
        self._jobs = jobs
        self._served: dict[str, str] = {}
        self._over = threading.Event()
        self._failure: BaseException | None = None
        self._failed = threading.Event()
        self._engine: DBOS | None = None
        self._minder = threading.Thread(target=self._mind, name="toolkit worker", daemon=True)

    def __enter__(self) -> Self:
        """Start it.

        Raises:
            StoreError: If the store cannot be read or written.
        """
        from sqlalchemy.exc import SQLAlchemyError

        presence = self._store.join(jobs=self._jobs, versions=self._tools)
        for name in set(self._tools.values()):
            self._store.items.open(name, replaces=False)
        try:
            self._store.limits.refresh()
            self._engine = self._launch(presence.executor)
            self._served = self._to_do()
        except (OSError, SQLAlchemyError) as error:
            self.__exit__()
            raise StoreError(f"cannot use the store '{self._store.url.shown}': {reason_of(error)}") from error
        self._minder.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it: what is under way may end for a moment, and what is not done is left to others."""
        self._over.set()
        self._store.limits.end()
        self._permits.end()
        self._permits.wait_for_all(_PATIENCE if self._failure is None else 0.0)
        if self._minder.ident is not None:
            self._minder.join(_PATIENCE)
        from dbos import DBOS

        DBOS.destroy(destroy_registry=True)

    def check(self) -> None:
        """Say whether it goes on.

        Raises:
            StoreError: If it has stopped since the store failed.
        """
        if self._failure is not None:
            where = f"the store '{self._store.url.shown}' failed, so the worker has stopped"
            raise StoreError(f"{where}: {reason_of(self._failure)}") from self._failure

    def wait(self, seconds: float) -> None:
        """Wait for so many seconds, or until it has stopped.

        Raises:
            StoreError: If it has.
        """
        self._failed.wait(seconds)
        self.check()

    def _launch(self, executor: str) -> "DBOS":
        from dbos import DBOS

        from toolkit.durable.engine_parts import listen_to, narrow, spare_checks, watch_outcomes  # noqa: PLC0415 - as above
        from toolkit.durable.serializers import JsonSerializer  # noqa: PLC0415 - as above

        EngineLog(self._fail)
        engine = DBOS(
            config={
                "name": APPLICATION,
                "system_database_engine": self._store.engine,
                "serializer": JsonSerializer(),
                "executor_id": executor,
                "application_version": _FORMAT,
                "use_listen_notify": False,
                "run_migrations": False,
                "log_level": "WARNING",
            }
        )
        # However often an item is adopted, the engine does not give it up for good.
        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(lambda request: self._do_item(request))  # noqa: PLW0108 - the engine marks functions, and no methods
        if self._begin is not None:
            DBOS.workflow(name=SCHEDULED, max_recovery_attempts=None)(lambda at, request: self._do_run(at, request))  # noqa: PLW0108 - as above
        listen_to(engine, ())
        DBOS.launch()
        narrow(engine, self._runs, self._permits.room)
        watch_outcomes(engine, self._permits.give_back, self._fail)
        spare_checks(engine)
        names = set(self._tools.values())
        listen_to(engine, [*map(queue_of, names), *(map(schedules_of, names) if self._begin is not None else ())])
        return engine

    # ------------------------------------------------------------------------------------------------ in each thread

    def _do_item(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do an item; a returned result is final, an exception past the engine leaves it to be done."""
        from toolkit.durable.workflow_journals import InDoubt, Lost, open_journal  # noqa: PLC0415 - as above

        item = StoredItem(**request)
        self._permits.take()
        try:
            journal = open_journal(self._store.client, item, self._store.approvals)
            return self._do(item, self._served.get(item.run, ""), journal)._asdict()
        except Lost as lost:
            self._permits.give_back()
            raise lost.cause from lost
        except InDoubt as doubt:
            return ItemEnd("doubtful", str(doubt))._asdict()
        except JournalError as error:
            self._fail(error)
            self._permits.give_back()
            raise Stopped from error
        except Signal as ending:
            return ItemEnd("ended", str(ending))._asdict()

    def _do_run(self, at: str, request: dict[str, Any]) -> None:
        """Do a run that a schedule begins; one that was adopted goes on, since its id comes from its moment."""
        try:
            if self._begin is not None:
                self._begin(sha256(f"{request['name']} {at}".encode()).hexdigest()[:12], request, self._wait_inside)
        except JournalError as error:
            self._fail(error)
            raise Stopped from error

    def _wait_inside(self, seconds: float) -> None:
        """Wait in a thread of the engine, which must not outlive the worker."""
        if self._over.wait(seconds):
            raise Stopped

    def _runs(self) -> Mapping[str, str]:
        return self._served

    # ----------------------------------------------------------------------------------------------- beside the work

    def _mind(self) -> None:
        """Until the end: report to the store that this worker is running, find out what is to do, and adopt work."""
        while not self._over.wait(GLANCE):
            try:
                patiently(self._look)
            except Exception as error:  # noqa: BLE001 - whatever it is, nobody would look after the work any more
                self._stop(error)
                return

    def _look(self) -> None:
        presence = self._store.join()
        presence.check()
        self._store.limits.refresh()  # those of a run are there before it is
        self._served = self._to_do()
        for other in presence.others():
            if presence.take_place_of(other.number):
                self._adopt(other.executor)
                presence.forget(other.number)

    def _to_do(self) -> dict[str, str]:
        found = self._store.runs.under_way(self._tools)
        return found if self._only is None else {run: version for run, version in found.items() if run == self._only}

    def _adopt(self, executor: str) -> None:
        from toolkit.durable.engine_parts import adopt  # noqa: PLC0415 - as above

        if self._engine is not None:
            adopt(self._engine, executor)

    def _fail(self, error: BaseException) -> None:
        """Stop since the store failed: nothing that happens from now on is an end of an item."""
        if not self._over.is_set() and not is_away(error):
            self._stop(error)

    def _stop(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._permits.end()
        self._failed.set()

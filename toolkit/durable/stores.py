"""Stores: runs and their items in a database, submitted by one process and done by any number of workers."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

from toolkit.durable.engines import EngineLog, StoreError, connect, need_engine, patiently, storage_errors, transacted
from toolkit.durable.file_locks import opening
from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.stored_items import ItemEnd, StoredItem, item_id, number_in
from toolkit.errors import ConfigurationError
from toolkit.journals.kept_runs import KeptRun, KeptStep, State
from toolkit.releases import software_versions
from toolkit.tools.limits import Limit

if TYPE_CHECKING:
    from dbos import DBOSClient, WorkflowStatus
    from sqlalchemy import Connection, Engine

    from toolkit.durable.presences import Presence, Present
    from toolkit.durable.stored_approvals import StoredApprovals
    from toolkit.durable.stored_limits import StoredLimits

T = TypeVar("T")

APPLICATION: Final = "toolkit"
"""What the engine calls us in its tables, so that other programs may use the same database."""
WORKFLOW: Final = "toolkit.item"
SCHEDULED: Final = "toolkit.schedule"
POLLING: Final = 0.05
"""Seconds between two looks for work."""

_ENDED: Final = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_AS_IT_STANDS: Final = ("number", "id", "target", "began", "ended", "done", "failed", "error", "process")
"""The columns of a run that are fields of its value, too."""
_PAGE: Final = 500
_MANY: Final = 10**9


class Known(NamedTuple):
    """What a store knows of an item.

    Attributes:
        item: The item.
        end: What came of it; `None` of one that has not ended.
    """

    item: StoredItem
    end: ItemEnd | None


class Store:
    """Runs and their items in a database; safe to use from several threads.

    Attributes:
        url: Where it is.
        engine: The connections to it.
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
            self._client = self._open(makes=makes)
        self._presence: Presence | None = None
        self._limits: StoredLimits | None = None

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

    @property
    def client(self) -> "DBOSClient":
        """The engine's client, through which everything is submitted: a process that is launched takes on work."""
        return self._client

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
            self._client.destroy()
            self.engine.dispose()

    @property
    def approvals(self) -> "StoredApprovals":
        """The questions of its runs that wait for answers."""
        from toolkit.durable.stored_approvals import StoredApprovals  # noqa: PLC0415 - help needs none of it

        return StoredApprovals(self.engine, self.url)

    @property
    def limits(self) -> "StoredLimits":
        """The limits of tools, which hold for all workers together."""
        from toolkit.durable.stored_limits import StoredLimits  # noqa: PLC0415 - as above

        self._limits = self._limits or StoredLimits(self.engine, self.url, lambda: self.join().number)
        return self._limits

    # -------------------------------------------------------------------------------------------- who is there

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> "Presence":
        """Register this process with the store, once, and return its id.

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
        known = self._reading(lambda: known_processes(self.engine))
        able = [one for one in known if one.jobs and version in one.tools.split()]
        return self._reading(lambda: [one for one in able if presence.is_alive(one.number)])

    # ---------------------------------------------------------------------------------------------------- runs

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
        from sqlalchemy import insert

        from toolkit.durable.tables import RUNS  # noqa: PLC0415 - as above

        row = {
            "id": id, "state": "running", "target": target, "tool": tool, "began": time.time(), "done": 0, "failed": 0,
            "request": json.dumps(request), "definition": json.dumps(definition), "version": version,
            "software": json.dumps(software_versions("dbos")), "process": self.join().number, "name": name,
        }  # fmt: skip
        self._execute(insert(RUNS).values(**row))

    def resume(self, run: KeptRun, definition: Mapping[str, str], version: str) -> None:
        """Keep that a run goes on, with what is there now; with another definition, no answer to its questions counts.

        Raises:
            StoreError: If somebody does its work, or it cannot be written.
        """
        if self.is_followed(run):
            raise StoreError(f"the run '{run.id}' is under way, in another process")
        if dict(definition) != run.definition:
            self.approvals.withdraw(run.id)
        values = {"definition": json.dumps(definition), "version": version, "process": self.join().number}
        software = json.dumps(software_versions("dbos"))
        self._update(run.id, state="running", ended=None, error=None, software=software, **values)

    def is_followed(self, run: KeptRun) -> bool:
        """Return whether the process that submits the items of a run, and takes what comes of them, still does so.

        A worker that has begun a run for a schedule is there after its end, too.

        Raises:
            StoreError: If the store cannot be read.
        """
        presence = self.join()
        if run.state != "running" or run.process == presence.number:
            return False
        return self._reading(lambda: presence.is_alive(run.process))

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

    def runs(self) -> list[KeptRun]:
        """Return all runs, the newest first; their `process` is the number of the one that follows them.

        Raises:
            StoreError: If they cannot be read.
        """
        from sqlalchemy import select

        from toolkit.durable.tables import RUNS  # noqa: PLC0415 - as above

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

    def to_do(self, versions: Iterable[str]) -> dict[str, str]:
        """Return the runs under way that have one of these versions, each with its version.

        Raises:
            SQLAlchemyError: If they cannot be read.
        """
        from sqlalchemy import select

        from toolkit.durable.tables import RUNS  # noqa: PLC0415 - as above

        wanted = RUNS.c.version.in_(list(versions)) & (RUNS.c.state == "running")
        with self.engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(select(RUNS.c.id, RUNS.c.version).where(wanted))}

    def _run(self, row: Mapping[str, Any]) -> KeptRun:
        state: State = row["state"]
        if state == "running" and not self._reading(lambda: self.join().is_alive(row["process"])):
            state = "killed"
        columns = {name: row[name] for name in _AS_IT_STANDS}
        request, definition = (json.loads(row[name]) for name in ("request", "definition"))
        return KeptRun(**columns, state=state, of=None, unit="items", request=request, definition=definition)

    # --------------------------------------------------------------------------------------------------- items

    def open_queue(self, tool: str, limit: Limit = Limit(), *, replaces: bool = True) -> None:  # noqa: B008 - it is frozen
        """Let the items of a tool have a queue.

        Args:
            tool: Its name.
            limit: What bounds its items, on all workers together.
            replaces: Whether that holds from now on if the queue is there already.

        Raises:
            StoreError: If it cannot be written.
        """
        rate = None if limit.rate is None else {"limit": limit.rate, "period": limit.seconds}
        self._writing(
            lambda: self._client.register_queue(
                queue_of(tool),
                global_concurrency=limit.concurrency,
                limiter=rate,  # type: ignore[arg-type]  # a dictionary of its two keys
                # Any limit of a part makes the engine keep the runs apart; this one bounds nothing more.
                partition_worker_concurrency=limit.concurrency or _MANY,
                polling_interval_sec=POLLING,
                on_conflict="always_update" if replaces else "never_update",
            )
        )

    def submit(self, tool: str, items: Sequence[StoredItem]) -> None:
        """Put items into the queue of a tool, all or none; one that is there already stays as it is.

        Raises:
            StoreError: If they cannot be written.
        """

        def write(connection: "Connection") -> None:
            for item in items:
                self._client.enqueue_in_transaction(
                    connection,
                    {
                        "workflow_name": WORKFLOW,
                        "queue_name": queue_of(tool),
                        "workflow_id": item.id,
                        "queue_partition_key": item.run,
                    },
                    item._asdict(),
                )

        self._do("write", write)

    def ends_of(self, run: str, waiting: Mapping[int, int]) -> dict[int, ItemEnd]:
        """Return what came of items that have ended, by their numbers.

        Args:
            run: Their run.
            waiting: The numbers that are asked about, each with its attempt.

        Raises:
            StoreError: If it cannot be read.
        """
        ids = [item_id(run, number, attempt) for number, attempt in waiting.items()]
        found = self._listed(ids, status=list(_ENDED), load_input=False)
        return {number_in(one.workflow_id): _end_of(one) for one in found}

    def known_of(self, run: str, numbers: Iterable[int]) -> dict[int, Known]:
        """Return what is known of items that were submitted before, of each the latest attempt.

        Raises:
            StoreError: If it cannot be read.
        """
        known: dict[int, Known] = {}
        asked, attempt = list(numbers), 1
        while asked:
            found = self._listed([item_id(run, number, attempt) for number in asked])
            known |= {number_in(one.workflow_id): _known_of(one) for one in found}
            asked, attempt = [number_in(one.workflow_id) for one in found], attempt + 1
        return known

    def items(self, run: KeptRun) -> Iterator[KeptStep]:
        """Yield what is kept of the items of a run, in the order of their submission.

        Raises:
            StoreError: If it cannot be read.
        """
        offset = 0
        while True:
            skipped = offset
            page = self._reading(
                lambda: self._client.list_workflows(
                    workflow_id_prefix=f"{run.id}/",
                    limit=_PAGE,
                    offset=skipped,  # noqa: B023 - it is called at once
                )
            )
            yield from map(_step_of, page)
            offset += len(page)
            if len(page) < _PAGE:
                return

    def _listed(self, ids: Sequence[str], **options: Any) -> "list[WorkflowStatus]":
        return self._reading(lambda: self._client.list_workflows(workflow_ids=list(ids), **options)) if ids else []

    # ------------------------------------------------------------------------------------------------- schedules

    def schedule(self, name: str, cron: str, tool: str, request: Mapping[str, Any]) -> None:
        """Let a run begin again and again.

        Args:
            name: The name of the schedule.
            cron: When it begins, in UTC: minute, hour, day of the month, month, day of the week; seconds may precede.
            tool: The name of what is run.
            request: What it takes to run it, as plain data without secrets.

        Raises:
            ConfigurationError: If that is not a time, or there is a schedule of this name.
            StoreError: If it cannot be written.
        """
        from dbos import error as engine_errors

        self._writing(lambda: self._client.register_queue(schedules_of(tool), polling_interval_sec=1.0))
        try:
            self._writing(
                lambda: self._client.create_schedule(
                    schedule_name=name,
                    workflow_name=SCHEDULED,
                    schedule=cron,
                    context=dict(request),
                    queue_name=schedules_of(tool),
                )
            )
        except engine_errors.DBOSException as error:
            known = name in {one["name"] for one in self.schedules()}
            words = f"there is a schedule '{name}' already" if known else f"'{cron}' is not a time of cron"
            raise ConfigurationError(words) from error

    def schedules(self) -> list[dict[str, Any]]:
        """Return the schedules, each with its `name`, `cron`, `target` and when it has `begun` last.

        Raises:
            StoreError: If they cannot be read.
        """
        return [
            {
                "name": one["schedule_name"],
                "cron": one["schedule"],
                "target": one["context"]["target"],
                "begun": one["last_fired_at"],
            }
            for one in self._reading(self._client.list_schedules)
        ]

    def unschedule(self, name: str) -> None:
        """Remove a schedule; runs that it has begun go on.

        Raises:
            StoreError: If that cannot be written.
        """
        self._writing(lambda: self._client.delete_schedule(name))

    # ------------------------------------------------------------------------------------------------- how it fails

    def _update(self, run: str, **values: Any) -> None:
        from sqlalchemy import update

        from toolkit.durable.tables import RUNS  # noqa: PLC0415 - as above

        self._execute(update(RUNS).where(RUNS.c.id == run).values(**values))

    def _execute(self, statement: Any) -> None:
        self._do("write", lambda connection: connection.execute(statement))

    def _row(self, run: str, *columns: str) -> Any:
        """Return columns of a run."""
        from sqlalchemy import select

        from toolkit.durable.tables import RUNS  # noqa: PLC0415 - as above

        wanted = select(*(RUNS.c[name] for name in columns)).where(RUNS.c.id == run)
        return self._do("read", lambda connection: connection.execute(wanted).one())

    def _do(self, what: str, work: Callable[["Connection"], T]) -> T:
        return transacted(self.engine, self.url, what, work)

    def _reading(self, work: Callable[[], T]) -> T:
        with storage_errors(self.url, "read"):
            return patiently(work)

    def _writing(self, work: Callable[[], T]) -> T:
        with storage_errors(self.url, "write"):
            return patiently(work)


def queue_of(tool: str) -> str:
    """Return the name of the queue that holds the items of a tool."""
    return f"tool:{tool}"


def schedules_of(tool: str) -> str:
    """Return the name of the queue that holds what schedules begin with a tool."""
    return f"schedules:{tool}"


def _item_in(status: "WorkflowStatus") -> StoredItem:
    item = status.input["args"][0] if status.input else {}
    return StoredItem(**item)


def _end_of(status: "WorkflowStatus") -> ItemEnd:
    if status.status == "SUCCESS" and isinstance(status.output, dict):
        return ItemEnd(**status.output)
    why = "it was cancelled" if status.status == "CANCELLED" else str(status.error or status.status)
    return ItemEnd("ended", why)


def _known_of(status: "WorkflowStatus") -> Known:
    return Known(_item_in(status), _end_of(status) if status.status in _ENDED else None)


def _step_of(status: "WorkflowStatus") -> KeptStep:
    end = _end_of(status) if status.status in _ENDED else None
    began = None if status.dequeued_at is None else status.dequeued_at / 1000
    ended = None if status.completed_at is None else status.completed_at / 1000
    arguments = json.dumps(_item_in(status).arguments, default=str)
    how, result = (None, None) if end is None else (end.status, end.result)
    return KeptStep(
        str(number_in(status.workflow_id)),
        "",
        status=how,
        result=result,
        arguments=arguments,
        began=began,
        ended=ended,
        may_repeat=True,
        is_whole=True,
    )

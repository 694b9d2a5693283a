"""The work in a store: items in queues, one queue for each tool, and schedules at whose times runs begin."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dbos import DBOSClient, error as engine_errors

from toolkit.errors import ConfigurationError
from toolkit.stores.engine_databases import POLLING, SCHEDULED, WORKFLOW, EngineDatabase, queue_of, schedules_of
from toolkit.stores.recorded_runs import ItemEnd, StoredItem, item_id, number_in
from toolkit.tools.calls.call_limits import Limit

if TYPE_CHECKING:
    from dbos import WorkflowStatus


_ENDED: Final = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_PAGE: Final = 500
_MANY: Final = 10**9


class Known(NamedTuple):
    """An item in a store, with its outcome.

    Attributes:
        item: The item.
        end: Its outcome, or `None` if it has not ended.
    """

    item: StoredItem
    end: ItemEnd | None


class ItemQueues:
    """The items in a store, with a queue for each tool. Thread-safe."""

    def __init__(self, client: DBOSClient, database: EngineDatabase) -> None:
        """Use an open store.

        Args:
            client: The DBOS client.
            database: The database of the store.
        """
        self._client, self._database = client, database

    def open(self, tool: str, limit: Limit = Limit(), *, replaces: bool = True) -> None:  # noqa: B008 - immutable
        """Create the queue for a tool's items.

        Args:
            tool: The name of the tool.
            limit: The limit for its items, across all workers.
            replaces: Whether to change the limit of an existing queue.

        Raises:
            StoreError: If writing to the store fails.
        """
        rate = None if limit.rate is None else {"limit": limit.rate, "period": limit.seconds}
        self._database.attempt(
            "write",
            lambda: self._client.register_queue(
                queue_of(tool),
                global_concurrency=limit.concurrency,
                limiter=rate,  # type: ignore[arg-type]  # has the two keys of its TypedDict
                # The engine partitions a queue by run only if partitions have a limit; this one adds no restriction.
                partition_worker_concurrency=limit.concurrency or _MANY,
                polling_interval_sec=POLLING,
                on_conflict="always_update" if replaces else "never_update",
            ),
        )

    def submit(self, tool: str, items: Sequence[StoredItem]) -> None:
        """Put items into the queue of a tool in one transaction; items already in the store are left unchanged.

        Raises:
            StoreError: If writing to the store fails.
        """

        def write() -> None:
            with self._database.engine.begin() as connection:
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

        self._database.attempt("write", write)

    def ends_of(self, run: str, waiting: Mapping[int, int]) -> dict[int, ItemEnd]:
        """Return the outcomes of the items that have ended, by item number.

        Args:
            run: The id of the run.
            waiting: The numbers of the items to look up, each with its attempt.

        Raises:
            StoreError: If reading the store fails.
        """
        ids = [item_id(run, number, attempt) for number, attempt in waiting.items()]
        found = self._listed(ids, status=list(_ENDED), load_input=False)
        return {number_in(one.workflow_id): _end_of(one) for one in found}

    def known_of(self, run: str, numbers: Iterable[int]) -> dict[int, Known]:
        """Return the latest attempt of each item that was submitted before, by item number.

        Raises:
            StoreError: If reading the store fails.
        """
        known: dict[int, Known] = {}
        asked, attempt = list(numbers), 1
        while asked:
            found = self._listed([item_id(run, number, attempt) for number in asked])
            known |= {number_in(one.workflow_id): _known_of(one) for one in found}
            asked, attempt = [number_in(one.workflow_id) for one in found], attempt + 1
        return known

    def delete(self, run: str) -> None:
        """Delete all items of a run, with their recorded steps.

        Raises:
            StoreError: If writing to the store fails.
        """
        listed = partial(
            self._client.list_workflows,
            workflow_id_prefix=f"{run}/",
            limit=_PAGE,
            load_input=False,
            load_output=False,
        )
        while page := self._database.attempt("read", listed):
            ids = [one.workflow_id for one in page]
            self._database.attempt("write", partial(self._client.delete_workflows, ids))

    def _listed(self, ids: Sequence[str], **options: Any) -> "list[WorkflowStatus]":
        return (
            self._database.attempt("read", lambda: self._client.list_workflows(workflow_ids=list(ids), **options))
            if ids
            else []
        )


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


class StoredSchedules:
    """The schedules in a store. Thread-safe."""

    def __init__(self, client: DBOSClient, database: EngineDatabase) -> None:
        """Use an open store.

        Args:
            client: The DBOS client.
            database: The database of the store.
        """
        self._client, self._database = client, database

    def add(self, name: str, cron: str, tool: str, request: Mapping[str, Any]) -> None:
        """Add a schedule.

        Args:
            name: The name of the schedule.
            cron: When runs begin, as a cron expression in UTC; a sixth field for seconds can precede the usual five.
            tool: The name of the tool to run.
            request: Everything needed to run it, as plain data without secrets.

        Raises:
            ConfigurationError: If the cron expression is invalid, or a schedule with this name exists.
            StoreError: If writing to the store fails.
        """
        self._database.attempt(
            "write", lambda: self._client.register_queue(schedules_of(tool), polling_interval_sec=1.0)
        )
        try:
            self._database.attempt(
                "write",
                lambda: self._client.create_schedule(
                    schedule_name=name,
                    workflow_name=SCHEDULED,
                    schedule=cron,
                    context=dict(request),
                    queue_name=schedules_of(tool),
                ),
            )
        except engine_errors.DBOSException as error:
            known = name in {one["name"] for one in self.all()}
            words = f"the schedule '{name}' already exists" if known else f"'{cron}' is not a valid cron expression"
            raise ConfigurationError(words) from error

    def all(self) -> list[dict[str, Any]]:
        """Return the schedules, each with its `name`, `cron`, `target` and the time when a run last `begun`.

        Raises:
            StoreError: If reading the store fails.
        """
        return [
            {
                "name": one["schedule_name"],
                "cron": one["schedule"],
                "target": one["context"]["target"],
                "begun": one["last_fired_at"],
            }
            for one in self._database.attempt("read", self._client.list_schedules)
        ]

    def remove(self, name: str) -> None:
        """Remove a schedule; runs that it has begun continue.

        Raises:
            StoreError: If writing to the store fails.
        """
        self._database.attempt("write", lambda: self._client.delete_schedule(name))

"""The schedules in a store, at whose times workers begin runs."""

from collections.abc import Mapping
from typing import Any

from dbos import DBOSClient, error as engine_errors

from toolkit.errors import ConfigurationError
from toolkit.stores.engine_databases import SCHEDULED, EngineDatabase, schedules_of


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

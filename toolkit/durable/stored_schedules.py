"""Stored schedules: the runs that a store's workers begin at their times."""

from collections.abc import Mapping
from typing import Any

from dbos import DBOSClient, error as engine_errors

from toolkit.durable.engine_names import SCHEDULED, schedules_of
from toolkit.durable.engines import attempted
from toolkit.durable.store_urls import StoreUrl
from toolkit.errors import ConfigurationError


class StoredSchedules:
    """The schedules in a store; safe to use from several threads."""

    def __init__(self, client: DBOSClient, url: StoreUrl) -> None:
        """Keep where they are.

        Args:
            client: The engine's client.
            url: Where the store is.
        """
        self._client, self._url = client, url

    def add(self, name: str, cron: str, tool: str, request: Mapping[str, Any]) -> None:
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
        attempted(self._url, "write", lambda: self._client.register_queue(schedules_of(tool), polling_interval_sec=1.0))
        try:
            attempted(
                self._url,
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
            words = f"there is a schedule '{name}' already" if known else f"'{cron}' is not a time of cron"
            raise ConfigurationError(words) from error

    def all(self) -> list[dict[str, Any]]:
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
            for one in attempted(self._url, "read", self._client.list_schedules)
        ]

    def remove(self, name: str) -> None:
        """Remove a schedule; runs that it has begun go on.

        Raises:
            StoreError: If that cannot be written.
        """
        attempted(self._url, "write", lambda: self._client.delete_schedule(name))

"""The record of a batch in a store, with which it can be resumed, and the stores that users name."""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from toolkit.releases import software_versions
from toolkit.stores.databases import StoreUrl
from toolkit.stores.run_stores import RunStore
from toolkit.tools.base import Tool
from toolkit.tools.calls.call_limits import Limit
from toolkit_cli import console
from toolkit_cli.running.journaled_runs import (
    STORE_VARIABLE,
    Resumed,
    RunRecorder,
    definition_of,
    tools_within,
    users_journal,
)

if TYPE_CHECKING:
    from toolkit.stores.stores import Store


def named_store(typed: str | None) -> str | None:
    """Return the URL of the store from the option or the environment, or `None`.

    The configuration of a project cannot set it, since a batch would send its data to that server.
    """
    return typed or os.environ.get(STORE_VARIABLE) or None


def absolute_store(url: str | None) -> str | None:
    """Return the URL of a store that means the same store in every working directory.

    Raises:
        ConfigurationError: If the URL is invalid.
    """
    return None if url is None else StoreUrl.parse(url).text


def open_store(url: str, *, makes: bool = True) -> "Store":
    """Open a store.

    Args:
        url: Its URL.
        makes: Whether to create the store if it does not exist.

    Raises:
        ConfigurationError: If the URL is invalid, the extra is missing, or there is no such store.
        StoreError: If it cannot be reached.
    """
    from toolkit.stores.stores import Store  # it imports the engine, and SQLAlchemy

    place = StoreUrl.parse(url)
    console.redactor().learn(*place.secrets)
    return Store(place, makes=makes)


def open_runs(store: str | None) -> RunStore:
    """Open the runs of a store or, if neither the option nor the environment names one, of the user's journal.

    Args:
        store: The URL of the store, as the user has typed it.

    Raises:
        ConfigurationError: If the URL is invalid, the extra is missing, or there is no such store.
        JournalError: If the runs cannot be opened.
    """
    url = named_store(store)
    return users_journal() if url is None else open_store(url, makes=False)


class StoredRun(RunRecorder):
    """A batch recorded in a store.

    Attributes:
        store: The store.
        version: The version of the tool's definition, the same on every machine.
        trace: Environment variables with the trace context of the run, if it is traced.
    """

    store: "Store"

    def __init__(  # noqa: PLR0913 - all that a run is
        self,
        store: "Store",
        tool: Tool,
        target: str,
        request: Mapping[str, Any],
        arguments: Mapping[str, Any],
        resumed: Resumed | None,
        limits: Mapping[str, Limit] | None,
        *,
        id: str,
        schedule: str | None = None,
    ) -> None:
        """Record a new run, or continue a recorded one.

        Args:
            store: The store.
            tool: The tool to run.
            target: The target as the user wrote it.
            request: What is needed to run it again, as plain data.
            arguments: The arguments for all items.
            resumed: The run to continue, if any.
            limits: Limits on calls, by tool name; `None` leaves the store's limits unchanged.
            id: The unique id of the run.
            schedule: The schedule that starts the run, if any; the run may then be recorded already.

        Raises:
            Failure: If the arguments contain a secret, or definitions have changed and changes are not accepted.
            StoreError: If the store cannot be written.
        """
        self.trace: Mapping[str, str] | None = request.get("trace")
        self.version = version_of(tool, request.get("model"))
        if limits is None:
            store.items.open(tool.name, replaces=False)
        else:
            bound_calls(store, tool, limits)
        software = {} if resumed is None else store.runs.software_of(resumed.run.id)
        begun = None if schedule is None else next((run for run in store.find(id) if run.id == id), None)
        version = self.version
        super().__init__(
            store, id, tool, target, request, arguments, resumed, version=version, schedule=schedule, begun=begun
        )
        if resumed is not None:
            _report_other_software(software)


def _report_other_software(before: Mapping[str, str]) -> None:
    now = software_versions("dbos")
    changed = [
        f"{name} {before.get(name)}, now {version}" for name, version in now.items() if before.get(name) != version
    ]
    if changed:
        console.say(f"the run was started with {'; '.join(changed)}")


def bound_calls(store: "Store", tool: Tool, limits: Mapping[str, Limit]) -> None:
    """Replace the limits for a tool and the tools that it calls.

    Raises:
        StoreError: If the store cannot be written.
    """
    store.limits.keep(limits, {one.name for one in tools_within(tool)})
    store.items.open(tool.name, limits.get(tool.name, Limit()))


def version_of(tool: Tool, model: str | None) -> str:
    """Return the version of a tool's definition, the same on every machine.

    It depends on the tool's schema, the contents of its files, and the model for its agents.
    """
    spec = tool.spec
    parts = [spec.name, spec.description, dict(spec.parameters), sorted(definition_of(tool).values()), model]
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode(errors="surrogatepass")).hexdigest()[:32]

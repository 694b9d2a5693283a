"""Records a batch in a store, so that it can be resumed."""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from toolkit.releases import software_versions
from toolkit.stores.store_urls import StoreUrl
from toolkit.stores.stores import Store
from toolkit.tools.base import Tool
from toolkit.tools.calls.call_limits import Limit
from toolkit_cli import console
from toolkit_cli.batching.item_results import items_done
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.journaled_runs import (
    STORE_VARIABLE,
    Resumed,
    check_unchanged,
    definition_of,
    how_to_continue,
    store_option,
    tools_within,
    warnings_of_end,
    without_secrets,
)
from toolkit_cli.running.tool_calls import Ending


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


def open_store(url: str, *, makes: bool = True) -> Store:
    """Open a store.

    Args:
        url: Its URL.
        makes: Whether to create the store if it does not exist.

    Raises:
        ConfigurationError: If the URL is invalid, the extra is missing, or there is no such store.
        StoreError: If it cannot be reached.
    """
    place = StoreUrl.parse(url)
    console.redactor().learn(*place.secrets)
    return Store(place, makes=makes)


class StoredRun:
    """A run recorded in a store.

    Attributes:
        id: The unique id of the run.
        store: The store.
        version: The version of the tool's definition, the same on every machine.
        resumed: The run that this one continues, if any.
        trace: Environment variables with the trace context of the run, if it is traced.
    """

    def __init__(  # noqa: PLR0913 - all that a run is
        self,
        store: Store,
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
        self.store, self.resumed, self._tool = store, resumed, tool
        self._done = self._failed = 0
        self.trace: Mapping[str, str] | None = request.get("trace")
        definition = definition_of(tool)
        self.version = version_of(tool, request.get("model"))
        if limits is None:
            store.items.open(tool.name, replaces=False)
        else:
            bound_calls(store, tool, limits)
        if resumed is None:
            record = without_secrets(request, arguments)
            if not record["is_whole"]:
                hint = "pass secrets to the workers instead, in their environment or configuration"
                raise Failure(ExitCode.USAGE, "the arguments contain a secret, and a store keeps no secrets", hint=hint)
            self.id = id
            if schedule is None or self.id not in [run.id for run in store.find(self.id)]:
                store.runs.begin(
                    self.id,
                    target,
                    tool.name,
                    request=record,
                    definition=definition,
                    version=self.version,
                    name=schedule,
                )
        else:
            self.id = resumed.run.id
            check_unchanged(resumed.run, definition, accepts_changes=resumed.accepts_changes, more=store_option(store))
            self._report_other_software()
            store.runs.resume(resumed.run, definition, self.version)

    def note(self, done: int, failed: int) -> None:
        """Remember how many items have succeeded and failed."""
        self._done, self._failed = done, failed

    def count(self) -> None:
        """Save the counts in the store.

        Raises:
            StoreError: If the store cannot be written.
        """
        self.store.runs.count(self.id, self._done, self._failed)

    def end(self, ending: Ending) -> None:
        """Record how the run ended; if it is incomplete, print what was done and how to continue."""
        error = ending.result.error
        if self.resumed is not None and not ending.is_complete:  # results may not have been collected again
            self.note(max(self._done, self.resumed.run.done), max(self._failed, self.resumed.run.failed))
        with warnings_of_end(ending, self.store):
            self.count()
            self.store.runs.finish(self.id, ending.state, console.redactor().text(error) if error else None)
        if not ending.is_complete:
            again = how_to_continue(self.id, ending.pending, store_option(self.store))
            console.say(f"{items_done(self._done)}; {again}")

    def _report_other_software(self) -> None:
        before = self.store.runs.software_of(self.id)
        now = software_versions("dbos")
        changed = [
            f"{name} {before.get(name)}, now {version}" for name, version in now.items() if before.get(name) != version
        ]
        if changed:
            console.say(f"the run was started with {'; '.join(changed)}")


def bound_calls(store: Store, tool: Tool, limits: Mapping[str, Limit]) -> None:
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

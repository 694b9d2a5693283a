"""Stored runs: a batch that a store keeps, from its first record to how it can go on."""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from toolkit.durable.stores import Store
from toolkit.journals.kept_runs import KeptRun
from toolkit.releases import software_versions
from toolkit.runs.journal import JournalError
from toolkit.tools.base import Tool
from toolkit.tools.limits import Limit
from toolkit_cli import console
from toolkit_cli.batching.opened_stores import store_option
from toolkit_cli.batching.tallies import items_done
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.definition_files import definition_of, tools_within
from toolkit_cli.running.keeping import check_unchanged, how_to_continue, without_secrets
from toolkit_cli.running.tool_calls import Ending


class StoredResume(NamedTuple):
    """A run in a store that goes on.

    Attributes:
        run: The run.
        accepts_changes: Whether it goes on with definitions, and items, that have changed.
        repeats_failures: Whether items that have failed are done again.
        repeats_doubts: Whether steps are done again that began, and may have taken effect.
    """

    run: KeptRun
    accepts_changes: bool = False
    repeats_failures: bool = False
    repeats_doubts: bool = False


class StoredRun:
    """One run that a store keeps.

    Attributes:
        id: Its unique id.
        store: Where it is kept.
        version: The version of its definition, the same on any machine.
        resumed: What it goes on from, if it does.
        trace: Variables that name its trace, if somebody observes it.
    """

    def __init__(  # noqa: PLR0913 - all that a run is
        self,
        store: Store,
        tool: Tool,
        target: str,
        request: Mapping[str, Any],
        arguments: Mapping[str, Any],
        resumed: StoredResume | None,
        limits: Mapping[str, Limit] | None,
        *,
        id: str,  # noqa: A002 - its name everywhere
        schedule: str | None = None,
    ) -> None:
        """Begin to keep it, or go on.

        Args:
            store: Where it is kept.
            tool: What is run.
            target: What it was named by.
            request: What it takes to run it again, as plain data.
            arguments: Those that hold for all items.
            resumed: What goes on, if something does.
            limits: What bounds calls, by the names of tools; `None` where that stays as it is.
            id: Its unique id.
            schedule: The schedule that begins it, if one does; then it may have begun before.

        Raises:
            Failure: If something of it is a secret, or what goes on has changed and nobody has agreed to that.
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
            kept = without_secrets(request, arguments)
            if not kept["is_whole"]:
                hint = "give secrets to the workers: through the environment, or in the configuration beside them"
                raise Failure(ExitCode.USAGE, "the arguments hold a secret, which a store does not keep", hint=hint)
            self.id = id
            if schedule is None or all(run.id != self.id for run in store.runs.all()):
                store.runs.begin(
                    self.id,
                    target,
                    tool.name,
                    request=kept,
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
        """Note how many items have ended well, and how many have failed."""
        self._done, self._failed = done, failed

    def count(self) -> None:
        """Keep what was noted last.

        Raises:
            StoreError: If it cannot be written.
        """
        self.store.runs.count(self.id, self._done, self._failed)

    def end(self, ending: Ending) -> None:
        """Keep how it ended, and report what is done and how it can go on if it was cut short, or waits."""
        error = ending.result.error
        with suppress(JournalError):  # if that was the reason, there is nothing left to be written
            self.count()
            if self.store.runs.state_of(self.id) != "cancelled":
                self.store.runs.finish(self.id, ending.state, console.redactor().text(error) if error else None)
        if not ending.is_complete:
            again = how_to_continue(self.id, ending.pending, store_option(self.store))
            console.say(f"{items_done(self._done)}; {again}")

    def _report_other_software(self) -> None:
        _, before = self.store.runs.versions_of(self.id)
        now = software_versions("dbos")
        changed = [
            f"{name} {before.get(name)}, now {version}" for name, version in now.items() if before.get(name) != version
        ]
        if changed:
            console.say(f"the run began with {'; '.join(changed)}")


def bound_calls(store: Store, tool: Tool, limits: Mapping[str, Limit]) -> None:
    """Let limits hold in a store from now on, and no others for what a tool calls.

    Raises:
        StoreError: If that cannot be written.
    """
    store.limits.keep(limits, {one.name for one in tools_within(tool)})
    store.items.open(tool.name, limits.get(tool.name, Limit()))


def version_of(tool: Tool, model: str | None) -> str:
    """Return the version of a tool's definition, the same on any machine.

    That is its schema, the contents of its files, and the model that its agents are to ask.
    """
    spec = tool.spec
    parts = [spec.name, spec.description, dict(spec.parameters), sorted(definition_of(tool).values()), model]
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode(errors="surrogatepass")).hexdigest()[:32]

"""The worker process, which processes the items of a store until it is stopped."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toolkit.batches.item_files import ItemFile
from toolkit.errors import ApprovalPending, ConfigurationError, ExitEarlyError
from toolkit.stores.recorded_runs import ItemEnd, State, StoredItem
from toolkit.stores.run_journals import ItemJournal
from toolkit.stores.stores import Store
from toolkit.stores.worker_processes import Worker
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolResult
from toolkit_cli import console
from toolkit_cli.batching.batch_records import StoredRun, version_of
from toolkit_cli.batching.batches import BatchWork
from toolkit_cli.batching.item_calls import ItemArguments
from toolkit_cli.batching.item_results import BatchOptions, items_done
from toolkit_cli.batching.stored_batches import StoredBatch, StoredCalls
from toolkit_cli.failures import report
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.sessions import Session, bounded
from toolkit_cli.running.tool_calls import CollectedSteps, Ending, end_run
from toolkit_cli.shared_options import restored

_GLANCE = 0.5


class WorkerTools:
    """The tools of a worker, called with the options of each run."""

    def __init__(
        self,
        store: Store,
        tools: Mapping[str, Tool],
        session: Session,
        model: str | None,
    ) -> None:
        """Prepare the tools.

        Args:
            store: The store with the runs.
            tools: The tools, by name.
            session: The session of the command.
            model: The model for agents.
        """
        self._store, self._session, self._context = store, session, session.context
        self.tools = {version_of(tool, model): tool for tool in tools.values()}
        self._calls: dict[str, StoredCalls] = {}
        self.done = 0

    def do(self, item: StoredItem, version: str, journal: ItemJournal) -> ItemEnd:
        """Process an item with the options of its run.

        Raises:
            Signal: If the call ends more than this item.
        """
        if item.run not in self._calls:
            self._calls[item.run] = self._calls_of(self._store.runs.get(item.run).request, self.tools[version])
        end = self._calls[item.run].do(item, journal)
        self.done += 1
        return end

    def begin(self, id: str, record: Mapping[str, Any], wait: Callable[[float], None]) -> None:
        """Execute a scheduled run: submit its items, and wait until all have finished.

        Raises:
            StoreError: If the store fails.
        """
        tool = next(tool for tool in self.tools.values() if tool.name == record["tool"])
        request = record["request"]
        stored = StoredRun(
            self._store,
            tool,
            target=record["target"],
            request=request,
            arguments=record["arguments"],
            resumed=None,
            limits=None,
            id=id,
            schedule=record["name"],
        )
        state: State = "failed"
        error = None
        try:
            with items_of(request["each"]) as items:
                arguments = ItemArguments(tool, record["arguments"], are_texts=items.format in ("csv", "tsv"))
                options = BatchOptions(items.name, jobs=0, out=Path(os.devnull), quiet=True)
                batch = StoredBatch(BatchWork(tool, items, arguments, self._context, options, run=id), stored, wait)
                try:
                    error = batch.run().error
                finally:
                    batch.close()
            state = "completed" if error is None else "failed"
        except ApprovalPending as pending:
            state, error = "waiting", str(pending)
        except (ConfigurationError, ExitEarlyError) as raised:
            error = str(raised)
        self._store.finish(id, state, error)

    def _calls_of(self, request: Mapping[str, Any], tool: Tool) -> StoredCalls:
        options = restored(RunOptions, request)
        tool = bounded(tool, options.timeout, self._session.configuration)
        context = self._session.context_for(options.session.given, waits=options.on_approval == "wait")
        context = context.replace(limiter=self._store.limits)
        return StoredCalls(tool, context, request["each"], self._session.channel, request.get("trace"))


def items_of(source: str) -> ItemFile:
    """Return the items of a schedule: those of a file in the working directory, or a single one.

    Raises:
        ConfigurationError: If the file is outside the working directory.
    """
    items = ItemFile.named(source)
    is_outside = items.path is not None and (items.path.is_absolute() or ".." in items.path.parts)
    if items.is_stdin or is_outside:
        raise ConfigurationError(f"a schedule can only read files in the worker's folder, and '{source}' is not in it")
    return items


def work(store: Store, tools: WorkerTools, jobs: int, *, quiet: bool) -> int:
    """Process items until the process is stopped or the store fails; return the exit code."""
    names = {version: tool.name for version, tool in tools.tools.items()}

    def run() -> ToolResult:
        with Worker(store, names, tools.do, jobs=jobs, begin=tools.begin) as worker:
            if not quiet:
                console.say(f"working on {', '.join(sorted(names.values()))} from {store.url.shown}")
            while True:
                worker.wait(_GLANCE)

    def show(ending: Ending) -> None:
        if ending.problem is not None and ending.result.error_code != "interrupted":
            report([ending.problem], ending.exit_code)
        if not quiet:
            console.say(items_done(tools.done))

    return end_run(run, CollectedSteps(), show)

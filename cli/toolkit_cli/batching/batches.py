"""A batch in this process: a tool is called for each item of a file, and each result becomes a line."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.approvals.decisions import plain_digest
from toolkit.batches.batch_runs import Batch
from toolkit.batches.item_files import ItemFile
from toolkit.batches.items import Item
from toolkit.running import drive, run_in_loop
from toolkit.runs.records import ChangedInput
from toolkit.runs.run import OutputChannel, Run
from toolkit.tools.base import Tool
from toolkit.tools.calls.json_data import dumps
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import redactor_of
from toolkit_cli.batching.item_calls import ItemArguments, ItemCalls, record_invalid
from toolkit_cli.batching.item_results import BatchOptions, ItemResults
from toolkit_cli.running.journaled_runs import Resumed, RunRecorder


class BatchWork(NamedTuple):
    """What a batch needs to run.

    Attributes:
        tool: The tool to call for each item.
        items: The open file of items.
        arguments: Turns an item into the arguments of a call.
        context: The context of the calls.
        options: The options from the command line.
        run: The run id.
        channel: Receives messages from tools to the user.
    """

    tool: Tool
    items: ItemFile
    arguments: ItemArguments
    context: ToolContext
    options: BatchOptions
    run: str
    channel: OutputChannel | None = None


class BatchRun:
    """A batch that runs in this process."""

    def __init__(self, work: BatchWork, recorded: RunRecorder | None = None) -> None:
        self._tool, self._arguments, self._options = work.tool, work.arguments, work.options
        self._recorded = recorded
        self._run = Run(id=work.run, channel=work.channel, journal=None if recorded is None else recorded.journal)
        self._calls = ItemCalls(work.tool, work.context, work.items.name, is_recorded=recorded is not None)
        self._items = work.items
        self._results = ItemResults(work.items, work.options)
        self.tally = self._results.tally
        jobs, waits = work.options.jobs, work.items.waits
        at_once = self._do_at_once if self._calls.are_short else None
        self._batch = Batch(iter(work.items), self._do, self._results.take, at_once=at_once, jobs=jobs, waits=waits)

    def run(self) -> ToolResult:
        """Call the tool for each item, and return how the batch ended.

        Raises:
            Signal: If a call ends the whole batch.
        """
        needs_loop = self._options.jobs > 1 or self._tool.suspends
        (run_in_loop if needs_loop else drive)(self._batch.run())
        resumed = None if self._recorded is None else self._recorded.resumed
        if self._recorded is not None and resumed is not None and self._results.failure is None:
            check_missing(self._items, self.tally.done, self._recorded.last_item, resumed)
        return self._results.ending()

    def close(self) -> None:
        """Write the results of all finished items."""
        self._batch.deliver_rest()
        self._results.close()

    async def _do(self, item: Item) -> ToolResult:
        arguments = self._arguments.of(item)
        if isinstance(arguments, str):
            failure = ToolResult.failure(arguments, "invalid_item")
            if self._recorded is not None:
                context = self._calls.context_of(item.number, self._run)
                record_invalid(item.number, failure, context, self._recorded.journal)
            return failure
        run = self._run.spawn() if self._calls.needs_run else None
        context = self._calls.context_of(item.number, run)
        try:
            if self._recorded is None:
                return await self._calls.call(item.number, arguments, context)
            return await self._call_recorded(item, arguments, context, self._recorded)
        finally:
            for use in run.uses if run is not None else ():
                self.tally.spend(use)

    def _do_at_once(self, item: Item) -> ToolResult:
        arguments = self._arguments.of(item)
        if isinstance(arguments, str):
            return ToolResult.failure(arguments, "invalid_item")
        return self._calls.call_at_once(arguments)

    async def _call_recorded(
        self, item: Item, arguments: Mapping[str, Any], context: ToolContext, recorded: RunRecorder
    ) -> ToolResult:
        """Return the recorded result of an item if there is one; otherwise call the tool and record the result."""
        path, digest = str(item.number), plain_digest(dumps(redactor_of(context).data(arguments), default=str))
        journal = recorded.journal
        known = journal.recall(path)
        if known is not None and known.arguments not in ("", digest):
            check_changed(self._items, item, recorded.resumed)
        repeats = self._repeats_failures
        done = await self._calls.call_recorded(
            item.number, arguments, context, journal, digest=digest, known=known, repeats_failures=repeats
        )
        return done.result

    @property
    def _repeats_failures(self) -> bool:
        resumed = None if self._recorded is None else self._recorded.resumed
        return self._options.on_item_error == "fail" or (resumed is not None and resumed.repeats_failures)


def check_missing(items: ItemFile, count: int, last: int, resumed: Resumed) -> None:
    """Check whether a run may continue although items that were processed are no longer there.

    Args:
        items: The file of items.
        count: The number of items in it.
        last: The highest number of an item that was there before.
        resumed: The run that continues.

    Raises:
        ChangedInput: If changes are not accepted.
    """
    if last > count and not resumed.accepts_changes:
        message = f"{items.name} has {count} items, and had at least {last} before"
        raise ChangedInput(f"{message}; --accept-changes leaves out the results of missing items")


def check_changed(items: ItemFile, item: Item, resumed: Resumed | None) -> None:
    """Check whether a run may continue although an item has changed.

    Raises:
        ChangedInput: If changes are not accepted; names the item.
    """
    if resumed is None or not resumed.accepts_changes:
        place = items.place_of(item)
        raise ChangedInput(f"{place} has changed since it was processed; --accept-changes processes the new one")

"""Batches: a tool is called for every item of a file, and what comes of each becomes a line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from toolkit.approvals.flows import CallHistory
from toolkit.batches.item_files import ItemFile
from toolkit.batches.items import Item
from toolkit.batches.runs import Batch
from toolkit.errors import BudgetExceeded, TerminationRequested
from toolkit.journals.run_journals import digest_of
from toolkit.running import drive, run_in_loop
from toolkit.runs.journal import JournalError
from toolkit.runs.run import OutputChannel, Run
from toolkit.tools.base import Tool
from toolkit.tools.call_secrets import redactor_of
from toolkit.tools.context import ToolContext
from toolkit.tools.exact_numbers import dumps
from toolkit.tools.kept_results import kept_result, result_text
from toolkit.tools.results import NO_MESSAGE, ToolResult
from toolkit.wrappers.journaling import journaled
from toolkit_cli.batching.item_arguments import ItemArguments
from toolkit_cli.batching.result_lines import ResultLines
from toolkit_cli.batching.tallies import Tally
from toolkit_cli.rendering.results import Format as ResultFormat
from toolkit_cli.rendering.tools import pipeline_in
from toolkit_cli.running.keeping import Keeping

OnItemError = Literal["fail", "skip", "collect"]
"""What a failed item does: it ends the batch, is left out of the results, or is a record among them."""


_STATUSES: Final = {"timeout": "timed_out", "rejected": "rejected"}


class BatchOptions(NamedTuple):
    """What the command line says of a batch.

    Attributes:
        source: Where its items are.
        jobs: How many are done side by side.
        out: The file that the results are written to; stdout where none is named.
        on_item_error: What a failed item does.
        format: How a failure of the whole is told.
        quiet: Whether nothing else is told.
        dry_run: Whether the items are only checked.
    """

    source: str
    jobs: int = 1
    out: Path | None = None
    on_item_error: OnItemError = "collect"
    format: ResultFormat = "text"
    quiet: bool = False
    dry_run: bool = False


class BatchRun:
    """One batch on its way."""

    def __init__(
        self,
        tool: Tool,
        items: ItemFile,
        arguments: ItemArguments,
        context: ToolContext,
        options: BatchOptions,
        *,
        channel: OutputChannel | None = None,
        keeping: Keeping | None = None,
    ) -> None:
        """Keep what is called with what.

        Args:
            tool: What is called for every item.
            items: The items, open.
            arguments: Makes arguments of an item.
            context: What the calls are made with.
            options: What the command line says.
            channel: Is told what tools say to the user.
            keeping: Keeps what is done, if something does.
        """
        self._tool, self._arguments, self._options = tool, arguments, options
        self._context = context.replace(step=f"each {items.name}")
        self._keeping = keeping
        self._run = (
            Run(channel=channel) if keeping is None else Run(id=keeping.id, channel=channel, journal=keeping.journal)
        )
        self._needs_run = keeping is not None or looks_at_run(tool)
        self._called = tool if keeping is None else journaled(tool)
        self._items = items
        self._failure: ToolResult | None = None
        self._lines = ResultLines(options.out)
        self.tally = Tally(lambda: items.progress)
        self._batch = Batch(iter(items), self._do, self._take, jobs=options.jobs, waits=items.waits)

    def run(self) -> ToolResult:
        """Call the tool for every item, or until one that fails ends the batch; return that failure, if one did.

        Raises:
            Signal: What ends more than one item.
        """
        needs_loop = self._options.jobs > 1 or self._tool.suspends
        (run_in_loop if needs_loop else drive)(self._batch.run())
        return self._failure or ToolResult()

    def close(self) -> None:
        """Write everything that has ended."""
        self._batch.hand_over_rest()
        self._lines.close()

    async def _do(self, item: Item) -> ToolResult:
        arguments = self._arguments.of(item)
        if isinstance(arguments, str):
            return ToolResult.failure(arguments, "invalid_item")
        run = self._run.spawn() if self._needs_run else None
        context = self._context_of(item, run)
        try:
            if self._keeping is None:
                return await self._call(arguments, context)
            return await self._call_kept(item, arguments, context, self._keeping)
        finally:
            for use in run.uses if run is not None else ():
                self.tally.spend(use)

    async def _call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            result = await self._called.call(arguments, context)
        except BudgetExceeded as ending:
            return ToolResult.failure(str(ending), "budget")
        except TerminationRequested as ending:
            return ToolResult.failure(f"the run was ended: {ending.reason}", "terminated")
        return result if result.error is None else ToolResult.failure(_message(result), result.error_code)

    async def _call_kept(
        self, item: Item, arguments: Mapping[str, Any], context: ToolContext, keeping: Keeping
    ) -> ToolResult:
        """Return what came of an item that was done before; else do it, and keep that before the next one begins."""
        path, digest = str(item.number), digest_of(dumps(redactor_of(context).data(arguments), default=str))
        kept = keeping.journal.recall(path)
        if kept is not None and kept.arguments != digest:
            self._check_changed(item, keeping)
        elif kept is not None and (kept.status == "ok" or not self._repeats_failures):
            return kept_result(kept.result)[0]
        result = await self._call(arguments, context)
        output = result.output if result.structured is None else result.structured
        text, is_whole = result_text(result, output, context)
        status = "ok" if result.error is None else _STATUSES.get(str(result.error_code), "failed")
        keeping.journal.end(path, status, text, is_whole=is_whole, arguments=digest)
        return result

    @property
    def _repeats_failures(self) -> bool:
        resumed = None if self._keeping is None else self._keeping.resumed
        return self._options.on_item_error == "fail" or (resumed is not None and resumed.repeats_failures)

    def _check_changed(self, item: Item, keeping: Keeping) -> None:
        """Refuse to go on with an item that is not the one that was done, unless somebody has agreed.

        Raises:
            JournalError: Naming the item.
        """
        if keeping.resumed is None or not keeping.resumed.accepts_changes:
            message = (
                f"{self._items.place_of(item)} has changed since it was done; do the new one with --accept-changes"
            )
            raise JournalError(message)

    def _context_of(self, item: Item, run: Run | None) -> ToolContext:
        place = f"item {item.number} · {self._items.name}"
        gate = self._context.gate
        own = None if gate is None else gate.with_history(CallHistory())  # what one item has read, no other one knows
        if run is None:
            return self._context.replace(item=place, place=place, gate=own)
        return self._context.replace(
            item=place, place=place, gate=own, run=run, path=str(item.number), journal=run.journal
        )

    def _take(self, item: Item, result: ToolResult) -> bool:
        if result.error is None:
            self.tally.count(None)
            self._lines.write(_record(item, result))
            return True
        message = _message(result)
        self.tally.count(f"{self._items.place_of(item)}: {message}")
        if self._options.on_item_error != "skip":
            failed = {"error": message, "error_code": result.error_code, "at": str(self._items.place_of(item))}
            self._lines.write({"item": item.number, **failed})
        if self._options.on_item_error == "fail":
            words = f"item {item.number}: {message}"
            self._failure = ToolResult.failure(words, result.error_code)
        return self._failure is None


def _record(item: Item, result: ToolResult) -> dict[str, Any]:
    output = result.output if result.structured is None else result.structured
    record = {"item": item.number, "output": output}
    if result.skips:
        record["skipped"] = [{"step": skips.step, **one.as_record()} for skips in result.skips for one in skips.items]
    return record


def _message(result: ToolResult) -> str:
    message = result.error if result.error and result.error.strip() else NO_MESSAGE
    return message if result.raised is None else result.raised.named_in(message)


def looks_at_run(tool: Tool) -> bool:
    """Return whether a call of a tool may use the run that it belongs to: what it costs, and what it says."""
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return tool.uses_context
    return any(looks_at_run(step.tool) for step in pipeline.plan.walk() if step.tool is not None)

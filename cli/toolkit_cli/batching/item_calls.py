"""Calls a tool for single items of a batch: the arguments from the item, the call, and its events."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from toolkit.approvals.policies import CallHistory
from toolkit.batches.items import Item
from toolkit.errors import ApprovalPending, BudgetExceeded, TerminationRequested
from toolkit.events import BatchItemFinished, BatchItemStarted, Outcome
from toolkit.problems import did_you_mean
from toolkit.runs.records import Journal, StepRecord
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.calling import ShortCall, is_short, short_call
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_in, result_text
from toolkit.tools.secret_arguments import learn_arguments
from toolkit.wrappers.journaling import journaled
from toolkit_cli import console
from toolkit_cli.arguments.assignments import Schemas, text_place
from toolkit_cli.batching.item_results import WaitingResult, message_of
from toolkit_cli.rendering.tool_kinds import pipeline_in

_ENDINGS: Final = (ApprovalPending, BudgetExceeded, TerminationRequested)
_STATUSES: Final = {"timeout": "timed_out", "rejected": "rejected"}


class RecordedResult(NamedTuple):
    """The result of an item, as the call returned it and as it is recorded.

    Attributes:
        result: The result.
        status: How it is recorded.
        text: The text that is recorded, or the ids of the questions that the item waits for.
    """

    result: ToolResult
    status: str
    text: str


class ItemCalls:
    """Calls a tool for the items of a batch; the context of each call names the item."""

    def __init__(
        self,
        tool: Tool,
        context: ToolContext,
        source: str,
        *,
        is_recorded: bool,
        trace: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare the calls.

        Args:
            tool: The tool to call for each item.
            context: The context of the calls.
            source: Where the items come from, for messages.
            is_recorded: Whether the results are recorded.
            trace: Environment variables with the trace context of the run, which may be in another process.
        """
        self._context, self._source = context.replace(step=f"each {source}"), source
        self._called = journaled(tool) if is_recorded else tool
        self._trace = trace
        self.are_short = not is_recorded and is_short(tool, self._context)
        self._short_context = self._context.replace(gate=None)  # short calls ask no questions and read no history
        self.needs_run = is_recorded or looks_at_run(tool)

    @cached_property
    def _at_once(self) -> ShortCall:
        return short_call(self._called)

    def context_of(self, number: int, run: Run | None, journal: Journal | None = None) -> ToolContext:
        """Return the context for the call of an item."""
        place = f"item {number} · {self._source}"
        gate = self._context.gate
        own = None if gate is None else gate.with_history(CallHistory())  # each item has its own history
        context = self._context.replace(item=place, place=place, gate=own)
        if run is None:
            return context
        return context.replace(run=run, path=str(number), journal=run.journal if journal is None else journal)

    async def call(self, number: int, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Call the tool, and return its result.

        Raises:
            Signal: If a call ends the whole batch.
        """
        if context.listener is None:
            return await self._result(arguments, context)

        return await reported(lambda: self._result(arguments, context), number, self._called.name, context, self._trace)

    async def call_recorded(
        self,
        number: int,
        arguments: Mapping[str, Any],
        context: ToolContext,
        journal: Journal,
        *,
        digest: str,
        known: StepRecord | None,
        repeats_failures: bool,
    ) -> RecordedResult:
        """Return the recorded result of an item if there is one; otherwise call the tool and record the result.

        Args:
            number: The number of the item.
            arguments: The arguments of the call.
            context: The context of the call.
            journal: Records the result.
            digest: The digest of the arguments.
            known: The earlier record of the item, if any.
            repeats_failures: Whether to call the tool again if the item has failed.

        Raises:
            Signal: If a call ends the whole batch.
        """
        if known is not None and known.arguments == digest and (known.status == "ok" or not repeats_failures):
            return RecordedResult(result_in(known.result)[0], known.status, known.result)
        result = await self.call(number, arguments, context)
        if isinstance(result, WaitingResult):
            return RecordedResult(result, "waiting", json.dumps(result.pending.ids))
        status, text, is_whole = recorded_as(result, context)
        journal.end(str(number), status, text, is_whole=is_whole, arguments=digest)
        return RecordedResult(result, status, text)

    def call_at_once(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool without naming the item; only for calls that `are_short`.

        Raises:
            Signal: If a call ends the whole batch.
        """
        try:
            result: ToolResult = self._at_once(arguments, self._short_context)
        except _ENDINGS as ending:
            return _ended_by(ending)
        return result if result.error is None else _in_words(result)

    async def _result(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        try:
            result = await self._called.call(arguments, context)
        except _ENDINGS as ending:
            return _ended_by(ending)
        return result if result.error is None else _in_words(result)


def _ended_by(ending: ApprovalPending | BudgetExceeded | TerminationRequested) -> ToolResult:
    """Return the result of an item for a signal that ends this item only."""
    match ending:
        case ApprovalPending():
            return WaitingResult(ending)
        case BudgetExceeded():
            return ToolResult.failure(str(ending), "budget")
        case TerminationRequested(reason=reason):
            return ToolResult.failure(f"the run was ended: {reason}", "terminated")


def _in_words(result: ToolResult) -> ToolResult:
    return ToolResult.failure(message_of(result), result.error_code)


def recorded_as(result: ToolResult, context: ToolContext) -> tuple[str, str, bool]:
    """Return how a result is recorded: its status, its text without secrets, and whether that text is complete."""
    output = result.output if result.structured is None else result.structured
    text, is_whole = result_text(result, output, context)
    status = "ok" if result.error is None else _STATUSES.get(str(result.error_code), "failed")
    return status, text, is_whole


def record_invalid(number: int, result: ToolResult, context: ToolContext, journal: Journal) -> None:
    """Record that an item has no valid arguments, unless it had before; without a digest, it is always tried again."""
    if journal.recall(str(number)) is None:
        status, text, is_whole = recorded_as(result, context)
        journal.end(str(number), status, text, is_whole=is_whole)


def looks_at_run(tool: Tool) -> bool:
    """Return whether a call of the tool may use its run, for example to report costs or messages."""
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return tool.uses_context
    return any(looks_at_run(step.tool) for step in pipeline.plan.walk() if step.tool is not None)


class ItemArguments:
    """Turns items into arguments.

    A record supplies arguments by name; any other value becomes the tool's only open argument or its text input.
    Arguments for all items fill in what an item leaves out.
    """

    def __init__(self, tool: Tool, common: Mapping[str, Any], *, are_texts: bool) -> None:
        """Determine which arguments the items have to supply.

        Args:
            tool: The tool.
            common: The arguments for all items.
            are_texts: Whether the values in records are strings, as in CSV files.
        """
        self._tool, self._common, self._are_texts = tool, common, are_texts
        self._schemas = Schemas(tool.spec.parameters)
        self._names = tool.spec.properties.keys()
        self._takes_any = bool(tool.spec.parameters.get("additionalProperties"))
        still_open = [name for name in tool.spec.required if name not in common]
        place = text_place(tool, self._schemas, common)
        self._only = place.parameter or (still_open[0] if len(still_open) == 1 else None)
        self._takes_record = self._only_record()

    def of(self, item: Item) -> Mapping[str, Any] | str:
        """Return the arguments for an item, or an error message."""
        if item.fault is not None:
            return item.fault
        value = item.value
        if isinstance(value, dict) and not self._takes_record:
            arguments = self._of_record(value)
        elif self._only is None:
            arguments = f"{self._tool.name} takes several arguments, so the item has to be a record with their names"
        else:
            arguments = {**self._common, self._only: self._of_text(value) if isinstance(value, str) else value}
        if self._tool.hidden_parameters and not isinstance(arguments, str):
            learn_arguments(console.redactor(), self._tool, arguments)
        return arguments

    def _only_record(self) -> bool:
        """Return whether the only open argument is itself an object: then a record is its value."""
        names = self._names - self._common.keys()
        name = next(iter(names), "")
        takes_record = self._schemas.of(name).kinds() == {"object"}
        return len(names) == 1 and takes_record and self._only == name

    def _of_record(self, record: dict[str, Any]) -> Mapping[str, Any] | str:
        if not self._takes_any and not record.keys() <= self._names:
            return self._unknown(next(name for name in record if name not in self._names))
        if self._are_texts:
            record = {
                name: self._schemas.value(text, self._schemas.of(name))
                for name, text in record.items()
                if text or name in self._tool.spec.required
            }
        return {**self._common, **record} if self._common else record

    def _of_text(self, text: str) -> Any:
        return self._schemas.value(text, self._schemas.of(str(self._only)))

    def _unknown(self, name: str) -> str:
        takes = f"it takes {', '.join(self._names)}" if self._names else "it takes none"
        return f"{self._tool.name} has no argument '{name}' ({did_you_mean(name, self._names, otherwise=takes)})"


async def reported(
    work: Callable[[], Awaitable[ToolResult]],
    number: int,
    tool: str,
    context: ToolContext,
    trace: Mapping[str, str] | None,
) -> ToolResult:
    """Process an item, and emit events when it starts and finishes.

    Args:
        work: Processes the item.
        number: The item's number.
        tool: The name of the tool that is called for it.
        context: The context of the call, with the listener and the run.
        trace: Environment variables with the trace context of the run, which may be in another process.

    Raises:
        Signal: If the call ends the whole batch.
    """
    outcome: Outcome = "signal"
    result: ToolResult | None = None
    run = None if context.run is None else context.run.lineage[-1].id

    def started(call: int) -> BatchItemStarted:
        return BatchItemStarted(call, tool, number, run, None if trace is None else dict(trace))

    def finished(call: int, seconds: float) -> BatchItemFinished:
        return BatchItemFinished(
            call,
            tool,
            number,
            run,
            outcome=outcome,
            error=None if result is None else result.error,
            error_code=None if result is None else result.error_code,
            seconds=seconds,
        )

    with context.reporting(started, finished):
        result = await work()
        outcome = "success" if result.error is None else "failure"
    return result

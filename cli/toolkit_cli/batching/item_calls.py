"""Calls a tool for single items of a batch."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, Final

from toolkit.approvals.flows import CallHistory
from toolkit.errors import ApprovalPending, BudgetExceeded, TerminationRequested
from toolkit.runs.journal import Journal
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.kept_results import result_text
from toolkit.tools.results import ToolResult
from toolkit.tools.short_calls import call_at_once, is_short
from toolkit.tools.unseen_calls import PreparedCall, is_unseen, unseen_call
from toolkit.wrappers.journaling import journaled
from toolkit_cli.batching.item_results import message_of
from toolkit_cli.batching.waiting_items import WaitingResult
from toolkit_cli.rendering.tools import pipeline_in

_ENDINGS: Final = (ApprovalPending, BudgetExceeded, TerminationRequested)
_STATUSES: Final = {"timeout": "timed_out", "rejected": "rejected"}


class ItemCalls:
    """Calls a tool for the items of a batch; the context of each call names the item."""

    def __init__(
        self,
        tool: Tool,
        context: ToolContext,
        source: str,
        *,
        keeps: bool,
        trace: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare the calls.

        Args:
            tool: The tool to call for each item.
            context: The context of the calls.
            source: Where the items come from, for messages.
            keeps: Whether the results are recorded.
            trace: Environment variables with the trace context of the run, which may be in another process.
        """
        self._context, self._source = context.replace(step=f"each {source}"), source
        self._called = journaled(tool) if keeps else tool
        self._trace = trace
        self.are_short = not keeps and is_short(tool, self._context)
        self._short_context = self._context.replace(gate=None)  # short calls ask no questions and read no history
        self.needs_run = keeps or looks_at_run(tool)

    @cached_property
    def _at_once(self) -> PreparedCall:
        return unseen_call(self._called) if is_unseen(self._short_context) else partial(call_at_once, self._called)

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
        from toolkit_cli.batching.item_reports import reported  # noqa: PLC0415 - few batches are observed

        return await reported(lambda: self._result(arguments, context), number, self._called.name, context, self._trace)

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


def kept_as(result: ToolResult, context: ToolContext) -> tuple[str, str, bool]:
    """Return how a result is recorded: its status, its text without secrets, and whether that text is complete."""
    output = result.output if result.structured is None else result.structured
    text, is_whole = result_text(result, output, context)
    status = "ok" if result.error is None else _STATUSES.get(str(result.error_code), "failed")
    return status, text, is_whole


def looks_at_run(tool: Tool) -> bool:
    """Return whether a call of the tool may use its run, for example to report costs or messages."""
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return tool.uses_context
    return any(looks_at_run(step.tool) for step in pipeline.plan.walk() if step.tool is not None)

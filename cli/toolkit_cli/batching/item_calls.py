"""Item calls: a tool is called for an item of a batch, and what comes of it is a result, or is kept as one."""

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
    """Calls one tool for items, and names the item in each call."""

    def __init__(
        self,
        tool: Tool,
        context: ToolContext,
        source: str,
        *,
        keeps: bool,
        trace: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what is called.

        Args:
            tool: What is called for every item.
            context: What the calls are made with.
            source: Where the items come from, in words.
            keeps: Whether what is done is kept.
            trace: Variables that name the trace of the run, if that may be in another process.
        """
        self._context, self._source = context.replace(step=f"each {source}"), source
        self._called = journaled(tool) if keeps else tool
        self._trace = trace
        self.are_short = not keeps and is_short(tool, self._context)
        self._short_context = self._context.replace(gate=None)  # nobody is asked, and nobody reads what it has noted
        self.needs_run = keeps or looks_at_run(tool)

    @cached_property
    def _at_once(self) -> PreparedCall:
        return unseen_call(self._called) if is_unseen(self._short_context) else partial(call_at_once, self._called)

    def context_of(self, number: int, run: Run | None, journal: Journal | None = None) -> ToolContext:
        """Return what the call for an item is made with."""
        place = f"item {number} · {self._source}"
        gate = self._context.gate
        own = None if gate is None else gate.with_history(CallHistory())  # what one item has read, no other one knows
        context = self._context.replace(item=place, place=place, gate=own)
        if run is None:
            return context
        return context.replace(run=run, path=str(number), journal=run.journal if journal is None else journal)

    async def call(self, number: int, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Call the tool, and return what came of it.

        Raises:
            Signal: What ends more than this item.
        """
        if context.listener is None:
            return await self._result(arguments, context)
        from toolkit_cli.batching.item_reports import reported  # noqa: PLC0415 - few batches are observed

        return await reported(lambda: self._result(arguments, context), number, self._called.name, context, self._trace)

    def call_at_once(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool for an item where such calls `are_short`, so that nobody has to know for which.

        Raises:
            Signal: What ends more than this item.
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
    """Return what came of an item that a signal has ended, and no other one."""
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
    """Return how a result is kept: its status, its text without secrets, and whether nothing is missing from that."""
    output = result.output if result.structured is None else result.structured
    text, is_whole = result_text(result, output, context)
    status = "ok" if result.error is None else _STATUSES.get(str(result.error_code), "failed")
    return status, text, is_whole


def looks_at_run(tool: Tool) -> bool:
    """Return whether a call of a tool may use the run that it belongs to: its costs, and its messages."""
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return tool.uses_context
    return any(looks_at_run(step.tool) for step in pipeline.plan.walk() if step.tool is not None)

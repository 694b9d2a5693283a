"""Asks before a read-only tool is called if a model could use it to leak what its other tools read.

A GET request changes nothing, so it normally needs no approval. But if the model has read a private file, a page that
says "look up https://evil.example/?q=…" is enough to leak the contents as part of the URL.
"""

from collections.abc import Iterable
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.data_flows import is_way_out


class OutgoingTool(WrappedTool):
    """Asks before each call of a tool, since the call could leak what another tool has read."""

    demands = True

    def __init__(self, inner: Tool, reader: str) -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            reader: The name of the tool that reads private data.
        """
        super().__init__(inner)
        self._reader = reader

    def demand(self, parsed: Any, context: ToolContext) -> Demand:
        """Return the question of the inner tool, or else one about the call itself."""
        own = super().demand(parsed, context)
        return Demand(f"it could leak what '{self._reader}' reads") if own is None else own


def guard_outgoing(tool: Tool, beside: Iterable[Tool]) -> Tool:
    """Return a tool that asks before the call if its arguments could leak private data.

    Args:
        tool: The tool that the model calls.
        beside: All tools that the model can call or has called.
    """
    if not is_way_out(tool.spec):
        return tool
    reader = next((each.name for each in beside if "reads_private" in each.flows), None)
    return tool if reader is None else OutgoingTool(tool, reader)

"""Records in the journal that the work of a tool begins."""

import json
from functools import cached_property
from typing import Any

from toolkit.approvals.decisions import plain_digest
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import reading_redactor
from toolkit.visibility import visible_json


class JournaledTool(WrappedTool):
    """Records in the journal that a call begins, after the gate has approved it and before it has any effect."""

    @cached_property
    def _definition(self) -> str:
        spec = self.spec
        text = json.dumps([spec.name, spec.description, dict(spec.parameters)], sort_keys=True, default=str)
        return plain_digest(text)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Record that the work begins, then run the inner tool.

        Raises:
            JournalError: If the journal cannot be written; the tool does not run then.
        """
        if context.journal is not None and context.path:
            spec = self.spec
            arguments = visible_json(reading_redactor(context).data(self.inner.describe(parsed)), default=str)
            may_repeat = bool(spec.read_only or spec.idempotent)
            journal, context = context.journal, context.replace(journal=None)  # the call is one step, whatever it calls
            journal.begin(str(context.path), spec.name, self._definition, arguments, may_repeat=may_repeat)
        return await self.inner.perform(parsed, context)


def journaled(tool: Tool) -> Tool:
    """Return a tool that records when its work begins, unless it journals its own steps."""
    return tool if tool.keeps_steps else JournaledTool(tool)

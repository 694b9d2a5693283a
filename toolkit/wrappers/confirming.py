"""Confirming: a tool about whose calls somebody is asked, all of them or those that need it."""

from collections.abc import Callable, Mapping
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext

Question = Callable[[Mapping[str, Any]], str | None]


class ConfirmedTool(WrappedTool):
    """A tool that asks first; without a reviewer, a call is a configuration error and nothing runs."""

    demands = True

    def __init__(self, inner: Tool, question: str | Question) -> None:
        """Keep the question.

        Args:
            inner: The tool.
            question: What is asked before every call; or a function that is given the arguments as plain data and
                returns what is asked, or nothing where nobody need be.
        """
        super().__init__(inner)
        self._question = question

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Want the question, together with what the inner tool wants."""
        inner = super().demand(parsed, context)
        question = self._question
        asked = question if isinstance(question, str) else question(self.describe(parsed))
        if asked is None:
            return inner
        if inner is None:
            return Demand("the tool asks for confirmation", asked)
        both = "\n".join(filter(None, (asked, inner.message)))
        return Demand(inner.asked_by, both, show=inner.show, editable=inner.editable)

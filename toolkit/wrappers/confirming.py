"""Asks for confirmation before a tool is called, always or if the arguments require it."""

from collections.abc import Callable, Mapping
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.errors import ConfigurationError
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import plain

Question = Callable[[Mapping[str, Any]], str | None]


class ConfirmedTool(WrappedTool):
    """Asks for confirmation before a tool runs; without a reviewer, a call raises `ConfigurationError`."""

    demands = True

    def __init__(self, inner: Tool, question: str | Question) -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            question: The question to ask before every call, or a function that receives the arguments as plain data and
                returns the question, or `None` if the call needs no confirmation.
        """
        super().__init__(inner)
        self._question = question

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Return the question, combined with that of the inner tool, if any.

        Raises:
            ConfigurationError: If the function returns anything but text or `None`.
        """
        inner = super().demand(parsed, context)
        question = self._question
        asked = question if isinstance(question, str) else question(self.describe(parsed))
        if asked is None:
            return inner
        if not isinstance(plain(asked, "the question of a ConfirmedTool"), str):
            raise ConfigurationError(f"the question of a ConfirmedTool must be text or None, not {asked!r}")
        if inner is None:
            return Demand("the tool asks for confirmation", asked)
        both = "\n".join(filter(None, (asked, inner.message)))
        return Demand(inner.asked_by, both, show=inner.show, editable=inner.editable)

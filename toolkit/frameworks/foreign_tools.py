"""Wraps a tool of another framework as a Tool: its definition is unchanged, and the framework calls it."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.frameworks.late_approvals import ApprovalWanted, ask_late
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_schema_tools import ForeignSchemaTool
from toolkit.tools.foreign_values import call_safely
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

Invoke = Callable[[dict[str, Any], ToolContext], Coroutine[Any, Any, Any]]
"""Calls a tool through its framework, with plain arguments; returns a ToolResult or any other value.

Raises `ApprovalWanted` if the tool requests approval while it runs.
"""

Wants = Callable[[dict[str, Any], ToolContext], bool]
"""Returns whether a tool needs approval for these arguments."""


class ForeignTool(ForeignSchemaTool):
    """A tool of another framework.

    Attributes:
        framework: The name of the framework in `toolkit.tools.frameworks`.
        thing: The framework's object.
        function: The user's function behind it, or None.
        is_held: Whether the tool belongs to a server, an agent or another container.
    """

    is_held = False

    def __init__(
        self,
        spec: ToolSpec,
        invoke: Invoke,
        *,
        framework: str,
        thing: object,
        function: Any = None,
        wants_approval: tuple[str, Wants] | None = None,
    ) -> None:
        """Create a Tool with the definition that the framework would send to its model.

        Args:
            spec: The definition that the model receives.
            invoke: Calls the tool through the framework.
            framework: The name of the framework in `toolkit.tools.frameworks`.
            thing: The framework's object.
            function: The user's function behind it, or None.
            wants_approval: If the arguments decide whether approval is needed: the framework's name for that, and the
                function that decides.
        """
        self.spec = replace(spec, framework=framework)
        self.framework = framework
        self.thing = thing
        self.function = function
        self.demands = wants_approval is not None
        self._wants_approval = wants_approval
        self._invoke = invoke

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Return the approval that the tool itself demands for these arguments; if its check fails, it demands one."""
        if self._wants_approval is None:
            return None
        label, wants = self._wants_approval
        asks = call_safely(lambda: wants(plain_data(parsed), context), otherwise=True)
        return Demand(f"the tool asks ({label})") if asks else None

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Call the tool through its framework."""
        try:
            return self.result_of(await self._invoke(plain_data(parsed), context))
        except ApprovalWanted as wanted:
            await ask_late(self, parsed, context, wanted)
            return self.result_of(await wanted.go_on())

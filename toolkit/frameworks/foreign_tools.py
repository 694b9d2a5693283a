"""Foreign tools: a tool of another framework as a Tool of ours: its own definition, called its own way."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.frameworks.late_approvals import ApprovalWanted, ask_late
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_schema_tools import ForeignSchemaTool
from toolkit.tools.foreign_values import answer
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

Invoke = Callable[[dict[str, Any], ToolContext], Coroutine[Any, Any, Any]]
"""How a framework calls a tool of its own: with plain arguments; it returns a ToolResult or any value.

It raises `ApprovalWanted` where the tool wants approval only now.
"""

Wants = Callable[[dict[str, Any], ToolContext], bool]
"""Whether a tool wants approval for these arguments."""


class ForeignTool(ForeignSchemaTool):
    """A tool of another framework.

    Attributes:
        framework: The framework, by its name in `toolkit.tools.frameworks`.
        thing: The object of the framework.
        function: The user's function behind it, if there is one.
        is_held: Whether a server, an agent or the like holds it.
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
        """Keep the framework's description of its tool, exactly as its model would receive it, and how it is called.

        Args:
            spec: What the model is sent.
            invoke: How the framework calls it.
            framework: The framework, by its name in `toolkit.tools.frameworks`.
            thing: The object of the framework.
            function: The user's function behind it, if there is one.
            wants_approval: Where the arguments decide whether approval is wanted, what the framework calls that, and
                the decision.
        """
        self.spec = replace(spec, framework=framework)
        self.framework = framework
        self.thing = thing
        self.function = function
        self.demands = wants_approval is not None
        self._wants_approval = wants_approval
        self._invoke = invoke

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Return the question that the tool itself wants for these arguments; one that cannot decide wants it."""
        if self._wants_approval is None:
            return None
        label, wants = self._wants_approval
        asks = answer(lambda: wants(plain_data(parsed), context), otherwise=True)
        return Demand(f"the tool asks ({label})") if asks else None

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Have the framework do the work."""
        try:
            return self.result_of(await self._invoke(plain_data(parsed), context))
        except ApprovalWanted as wanted:
            await ask_late(self, parsed, context, wanted)
            return self.result_of(await wanted.go_on())

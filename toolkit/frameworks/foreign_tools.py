"""Foreign tools: a tool of another framework as a Tool of ours: its own definition, called its own way."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.frameworks.late_approvals import ApprovalWanted, ask_late
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_values import answer
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.results import ToolResult
from toolkit.tools.shapes.arguments import read_arguments
from toolkit.tools.shapes.foreign_schemas import shape_of_arguments
from toolkit.tools.shapes.shape_values import Shape
from toolkit.tools.spec import ToolSpec

Invoke = Callable[[dict[str, Any], ToolContext], Coroutine[Any, Any, Any]]
"""How a framework calls a tool of its own: with plain arguments; it returns a ToolResult or any value.

It raises `ApprovalWanted` where the tool wants approval only now.
"""

Wants = Callable[[dict[str, Any], ToolContext], bool]
"""Whether a tool wants approval for these arguments."""


class ForeignTool(Tool):
    """A tool of another framework.

    Attributes:
        framework: The framework, by its name in `toolkit.tools.frameworks`.
        thing: The object of the framework.
        function: The user's function behind it, if there is one.
        is_held: Whether a server, an agent or the like holds it.
    """

    suspends = True
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
        """Keep what the framework says of its tool, exactly as its model would be sent it, and how it is called.

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

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments by name, held against the schema as far as that can be done here."""
        optional = frozenset(self.spec.properties) - frozenset(self.spec.required)
        return read_arguments(self._shape, arguments, optional)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data, with a mask for each secret."""
        return self.veil.over(plain_data(parsed))

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return what the schema says that stands in for the parameters that are left out."""
        schemas = self.spec.properties.items()
        return {name: one["default"] for name, one in schemas if name not in parsed and "default" in one}

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

    @cached_property
    def _shape(self) -> Shape:
        return shape_of_arguments(self.spec.parameters)

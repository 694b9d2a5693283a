"""Wraps a tool of another framework as a Tool: its definition is unchanged, and the framework calls it."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Self

from toolkit.frameworks.late_approvals import ApprovalWanted, ask_late
from toolkit.running import loop_is_running, run_in_loop, run_in_new_thread
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.schema_tools import ForeignSchemaTool

Invoke = Callable[[dict[str, Any], ToolContext], Coroutine[Any, Any, Any]]
"""Calls a tool through its framework, with plain arguments; returns a ToolResult or any other value.

Raises `ApprovalWanted` if the tool, or the condition that its author has set for it, requests approval of this call.
"""


def new_call_id() -> str:
    """Return an id for a call; conditions of approval may remember it, so no two calls share one."""
    from uuid import uuid4  # only a call needs it

    return f"call_{uuid4().hex}"


class ForeignTool(ForeignSchemaTool):
    """A tool of another framework.

    Attributes:
        framework: The name of the framework in `toolkit.tools.foreign.frameworks`.
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
    ) -> None:
        """Create a Tool with the definition that the framework would send to its model.

        Args:
            spec: The definition that the model receives.
            invoke: Calls the tool through the framework.
            framework: The name of the framework in `toolkit.tools.foreign.frameworks`.
            thing: The framework's object.
            function: The user's function behind it, or None.
        """
        self.spec = replace(spec, framework=framework)
        self.framework = framework
        self.thing = thing
        self.function = function
        self._invoke = invoke

    def requiring_approval(self) -> Self:
        """Return this tool after it was marked as requiring approval, as its agent demands."""
        self.spec = replace(self.spec, requires_approval=True)
        return self

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Call the tool through its framework."""
        try:
            return self.result_of(await self._invoke(plain_data(parsed), context))
        except ApprovalWanted as wanted:
            await ask_late(self, parsed, context, wanted)
            return self.result_of(await wanted.go_on())


def explained(error: Any, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Exception:
    """Return the error for arguments that a framework has rejected, with everything that is wrong with them."""
    from toolkit.tools.shapes.objections import explain

    return explain(error, schema, arguments)


def settled(value: Any) -> Any:
    """Return the result of an awaitable, or any other value unchanged; blocks until the result is there."""
    if not isawaitable(value):
        return value
    waiting = awaited(value)
    return run_in_new_thread(lambda: run_in_loop(waiting)) if loop_is_running() else run_in_loop(waiting)


async def awaited(value: Any) -> Any:
    """Return the result of an awaitable, or any other value unchanged."""
    return await value if isawaitable(value) else value

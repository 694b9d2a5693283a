"""Wraps a tool of another framework as a Tool: its definition is unchanged, and the framework calls it."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Self
from uuid import uuid4

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import NO_QUESTION
from toolkit.errors import ToolExecutionError
from toolkit.running import loop_is_running, run_in_loop, run_in_new_thread
from toolkit.tools.callees import Callee
from toolkit.tools.calling import admit, verdict_on
from toolkit.tools.calls.json_data import freeze_as_json, plain_data
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.schema_tools import ForeignSchemaTool


class ApprovalWanted(Exception):
    """Raised when a tool has requested approval instead of doing its work.

    Attributes:
        label: The framework's name for the request.
        go_on: Calls the tool again, after the approval.
    """

    def __init__(self, label: str, go_on: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        super().__init__(label)
        self.label = label
        self.go_on = go_on


async def ask_late(tool: Callee, parsed: Any, context: ToolContext, wanted: ApprovalWanted) -> None:
    """Ask for approval of a call that requested it while running; returns if the call may continue.

    A reviewer who has already approved this call with these arguments, such as before a retry, is not asked again.

    Raises:
        CallDenied: If the call is denied.
        ConfigurationError: If there is no reviewer to ask.
        ExitEarlyError: If the reviewer ends the run.
    """
    if _was_approved(tool, parsed, context):
        return
    demand = Demand(f"the tool asks ({wanted.label})", editable=False)
    tool = _as_called(tool, context)
    verdict = verdict_on(tool, parsed, context, demand)
    if verdict is not NO_QUESTION:
        await admit(tool, plain_data(parsed), parsed=parsed, context=context, demand=demand, verdict=verdict)
    if context.call is not None:
        context.call.approvals.append(parsed)


def _as_called(tool: Callee, context: ToolContext) -> Callee:
    """Return the tool under the name by which it was called, which is what rules and reviewers know."""
    called = context.call.tool if context.call is not None else None
    return called if isinstance(called, Callee) and called.identity == tool.identity else tool


@contextmanager
def keeping_what_is_approved(
    name: str, arguments: Mapping[str, Any], given: Mapping[str, Any], context: ToolContext
) -> Iterator[None]:
    """Refuse a call whose arguments a hook of its agent has changed, if a reviewer approves calls of the tool.

    Args:
        name: The name of the tool.
        arguments: The arguments of the call, which reviewers see.
        given: The arguments with which the tool would run.
        context: The context of the call.

    Raises:
        ToolExecutionError: If the tool would run with other arguments than a reviewer has seen, or would see.
    """
    message = f"a hook of its agent has changed the arguments of {name!r}, which differ from those to approve"
    if given == arguments:
        yield
        return
    if context.call is not None and context.call.approvals:
        raise ToolExecutionError(message, "changed")
    try:
        yield
    except ApprovalWanted:
        raise ToolExecutionError(message, "changed") from None


def _was_approved(tool: Callee, parsed: Any, context: ToolContext) -> bool:
    """Return whether a reviewer has approved the running call of this tool with exactly these arguments."""
    call = context.call
    if call is None or call.tool.identity != tool.identity or not call.approvals:
        return False
    return freeze_as_json(parsed) in map(freeze_as_json, call.approvals)


Invoke = Callable[[dict[str, Any], ToolContext], Coroutine[Any, Any, Any]]
"""Calls a tool through its framework, with plain arguments; returns a ToolResult or any other value.

Raises `ApprovalWanted` if the tool, or the condition that its author has set for it, requests approval of this call.
"""


def new_call_id() -> str:
    """Return an id for a call; conditions of approval may remember it, so no two calls share one."""
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

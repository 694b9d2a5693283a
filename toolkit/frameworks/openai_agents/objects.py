"""Converts tools and agents of OpenAI Agents; see `agents/tool.py` of openai-agents 0.24."""

import sys
from collections.abc import Callable, Coroutine, Iterator
from copy import copy
from functools import partial
from typing import Any

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.awaiting import awaited
from toolkit.frameworks.foreign_tools import ForeignTool, new_call_id
from toolkit.frameworks.late_approvals import ApprovalWanted
from toolkit.frameworks.openai_agents.guardrails import checked_input, checked_output
from toolkit.frameworks.openai_agents.outputs import result_of_output
from toolkit.frameworks.openai_agents.run_contexts import run_context
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.tools.context import ToolContext
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import call_safely, kind_of
from toolkit.tools.json_data import dumps
from toolkit.tools.results import ToolResult
from toolkit.tools.shapes.objections import explain
from toolkit.tools.spec import ToolSpec

VERSIONS = Versions("openai-agents", (0, 11))

_TEXT = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The input of the tool, as text."}},
    "required": ["input"],
}
"""The schema for a `CustomTool`, which takes a single text and has no schema itself."""


def tools_of_agent(agent: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent, except those that OpenAI or a server runs."""
    for tool in agent.tools:
        if kind_of(tool) == "FunctionTool":
            yield from tools_of_tool(tool, agent)
        elif kind_of(tool) == "CustomTool":
            yield from tools_of_custom_tool(tool, agent)


def tools_of_tool(tool: Any, agent: Any = None) -> Iterator[ForeignTool]:
    """Yield the Tool of a `FunctionTool`."""
    function = call_safely(lambda: tool.__wrapped__, None)

    async def invoke(arguments: dict[str, Any], context: ToolContext) -> Any:
        ctx = run_context(context, tool, agent, function=function, arguments=dumps(arguments), call_id=new_call_id())
        go_on = partial(_invoke, tool, agent, ctx, arguments)
        await _check_approval(tool, ctx, arguments, go_on)
        return await go_on()

    spec = ToolSpec(
        tool.name,
        tool.description,
        tool.params_json_schema,
        requires_approval=_always_asks(tool),
        strict=tool.strict_json_schema,
        location=place_of(function) if function is not None else None,
    )
    yield ForeignTool(
        spec,
        invoke,
        framework="openai_agents",
        thing=tool,
        function=function,
    )


def tools_of_custom_tool(tool: Any, agent: Any = None) -> Iterator[ForeignTool]:
    """Yield the Tool of a `CustomTool`, whose model writes plain text instead of arguments; it becomes `input`."""

    async def invoke(arguments: dict[str, Any], context: ToolContext) -> Any:
        text = arguments["input"]
        ctx = run_context(context, tool, agent, function=None, arguments=text, call_id=new_call_id())

        async def go_on() -> Any:
            return result_of_output(await awaited(tool.on_invoke_tool(ctx, text)))

        await _check_approval(tool, ctx, text, go_on)
        return await go_on()

    spec = ToolSpec(
        tool.name,
        tool.description,
        _TEXT,
        requires_approval=_always_asks(tool),
    )
    yield ForeignTool(
        spec,
        invoke,
        framework="openai_agents",
        thing=tool,
    )


def _always_asks(tool: Any) -> bool:
    """Return whether every call needs approval: so it does for any setting that is neither False nor a condition."""
    return tool.needs_approval is not False and not callable(tool.needs_approval)


async def _check_approval(
    tool: Any, ctx: Any, arguments: dict[str, Any] | str, go_on: Callable[[], Coroutine[Any, Any, Any]]
) -> None:
    """Evaluate the tool's condition once; only the answer False lets the call run without approval.

    Raises:
        ApprovalWanted: If the call needs approval, or the condition fails.
    """
    condition = getattr(tool, "runtime_needs_approval", lambda: tool.needs_approval)()
    if not callable(condition):
        return
    try:
        asks = await awaited(condition(ctx, arguments, ctx.tool_call_id))
    except Exception:  # noqa: BLE001 - whatever a condition raises, it has not allowed the call
        asks = True
    if asks is not False:
        raise ApprovalWanted("needs_approval", go_on)


async def _invoke(tool: Any, agent: Any, ctx: Any, arguments: dict[str, Any]) -> Any:
    """Call a tool as a runner does, with its guardrails and its timeout.

    Raises:
        ToolArgumentsError: If the tool rejects the arguments.
        ToolExecutionError: If the tool is disabled, or a guardrail stops the call.
    """
    if not await awaited(tool.is_enabled(ctx, agent) if callable(tool.is_enabled) else tool.is_enabled):
        raise ToolExecutionError(f"tool {tool.name!r} is disabled by its 'is_enabled'", "unavailable")
    await checked_input(tool, ctx, agent)
    try:
        call = sys.modules["agents.tool"].invoke_function_tool
        output = await call(function_tool=_raising_errors(tool), context=ctx, arguments=ctx.tool_arguments)
    except Exception as error:  # noqa: BLE001 - the tool may have a message for any exception
        return await _failure(tool, ctx, error, arguments)
    return result_of_output(await checked_output(tool, ctx, agent, output))


def _raising_errors(tool: Any) -> Any:
    """Return a copy of a tool that raises errors, even if the tool itself would return a message instead."""
    raising = copy(tool)
    raising.timeout_behavior = "raise_exception"
    raising._use_default_failure_error_function = False  # noqa: SLF001 - public results do not distinguish failures from texts
    raising._failure_error_function = None  # noqa: SLF001
    return raising


async def _failure(tool: Any, ctx: Any, error: Exception, arguments: dict[str, Any]) -> ToolResult:
    """Return the tool's own message for an error; raise the error if there is none.

    Raises:
        ToolArgumentsError: If the arguments are invalid.
        ToolExecutionError: If the call timed out.
    """
    if kind_of(error) == "ModelBehaviorError" and isinstance(error.__cause__, ValueError):
        raise explain(error.__cause__, tool.params_json_schema, arguments) from None
    is_late = kind_of(error) == "ToolTimeoutError"
    words = tool.timeout_error_function if is_late else tool._failure_error_function  # noqa: SLF001 - as above
    if words is not None:
        return ToolResult.failure(str(await awaited(words(ctx, error))), "timeout" if is_late else "error")
    if is_late:
        raise ToolExecutionError(str(error), "timeout") from None
    raise error


CLASSES = {
    "agents.tool.CustomTool": ForeignClass(tools_of_custom_tool),
    "agents.tool.FunctionTool": ForeignClass(tools_of_tool),
    "agents.agent.AgentBase": ForeignClass(tools_of_agent, is_tool=False),
}

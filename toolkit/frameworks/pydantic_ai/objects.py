"""Converts pydantic-ai's tools, toolsets and agents; see `pydantic_ai/toolsets` of pydantic-ai 2.68.

Every tool is called through its toolset, as an agent calls it, so that a name, an approval or a timeout that a toolset
adds to another one is respected.
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.awaiting import awaited, settled
from toolkit.frameworks.foreign_tools import ForeignTool, new_call_id
from toolkit.frameworks.late_approvals import ApprovalWanted
from toolkit.frameworks.pydantic_ai.outputs import result_of_output
from toolkit.frameworks.pydantic_ai.run_contexts import run_context
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import call_safely, kind_of, module_of_class
from toolkit.tools.frameworks import framework_of
from toolkit.tools.shapes.objections import explain
from toolkit.tools.spec import ToolSpec

VERSIONS = Versions("pydantic-ai-slim", (2, 0))


class _Held(NamedTuple):
    """A tool in a toolset.

    Attributes:
        toolset: The outermost toolset, through which the tool is called.
        agent: The agent that has the toolset, or None.
        definition: The definition that the model receives.
        function: The user's function behind it, or None.
    """

    toolset: Any
    agent: Any
    definition: Any
    function: Any


def tools_of_agent(agent: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent, except those of servers."""
    for toolset in agent.toolsets:
        yield from tools_of_toolset(toolset, agent)


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `Tool`."""
    toolset = sys.modules["pydantic_ai.toolsets.function"].FunctionToolset(tools=[tool])
    yield from tools_of_toolset(toolset)


def tools_of_toolset(toolset: Any, agent: Any = None) -> Iterator[ForeignTool]:
    """Yield the Tools of a toolset: of functions, of other toolsets, created by a function, or written by a user.

    A function that creates a toolset for each run is called once, without dependencies; if it fails, it has no tools.
    """
    if isinstance(getattr(toolset, "toolsets", None), list | tuple):
        for each in toolset.toolsets:
            yield from tools_of_toolset(each, agent)
    elif (functions := _functions_in(toolset)) is not None:
        for definition, function in _definitions_in(toolset, functions, agent):
            yield _tool(_Held(toolset, agent, definition, function))
    elif (make := getattr(toolset, "toolset_func", None)) is not None:
        made = call_safely(lambda: settled(make(_empty_run_context(agent))), None)
        if made is not None:
            yield from tools_of_toolset(made, agent)
    elif framework_of(module_of_class(type(toolset))) is None:
        for definition, function in _definitions_in(toolset, {}, agent):
            yield _tool(_Held(toolset, agent, definition, function))


def _empty_run_context(agent: Any) -> Any:
    return run_context(NO_CONTEXT, "", agent, None)


def _functions_in(toolset: Any) -> dict[str, Any] | None:
    """Return the `Tool`s in a toolset and its wrappers; None if it is not a toolset of functions."""
    while (wrapped := getattr(toolset, "wrapped", None)) is not None:
        toolset = wrapped
    found = getattr(toolset, "tools", None)
    return found if isinstance(found, dict) else None


def _definitions_in(toolset: Any, functions: dict[str, Any], agent: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the definition and the function of each tool in a toolset, including tools listed only in a run."""
    nothing: dict[str, Any] = {}
    listed = call_safely(lambda: settled(toolset.get_tools(_empty_run_context(agent))), nothing)
    for tool in listed.values():
        yield tool.tool_def, getattr(getattr(getattr(tool, "call_func", None), "__self__", None), "function", None)
    if getattr(toolset, "wrapped", None) is None:
        for name, tool in functions.items():
            if name not in listed and tool.prepare is not None:
                yield tool.tool_def, tool.function


def _tool(held: _Held) -> ForeignTool:
    definition = held.definition

    always = definition.kind == "unapproved"  # the gate asks about every call before it gets here

    async def invoke(arguments: dict[str, Any], context: ToolContext) -> Any:
        return await _invoke(held, arguments, context, call_id=new_call_id(), is_approved=always)

    spec = ToolSpec(
        definition.name,
        definition.description or "",
        definition.parameters_json_schema,
        requires_approval=always,
        strict=definition.strict,
        location=place_of(held.function) if held.function is not None else None,
    )
    return ForeignTool(
        spec,
        invoke,
        framework="pydantic_ai",
        thing=held.toolset,
        function=held.function,
    )


async def _invoke(
    held: _Held, arguments: dict[str, Any], context: ToolContext, *, call_id: str, is_approved: bool
) -> Any:
    """Call a tool as an agent's tool manager does.

    The toolset itself evaluates the condition of `approval_required`, once for each call that is not approved yet.

    Raises:
        ApprovalWanted: If the tool requests approval now.
        ToolArgumentsError: If the tool rejects the arguments.
        ToolExecutionError: If the tool needs something that only an agent has.
    """
    name = held.definition.name
    ctx = run_context(context, name, held.agent, held.function, call_id=call_id, is_approved=is_approved)
    approved = partial(_invoke, held, arguments, context, call_id=call_id, is_approved=True)
    tool = (await held.toolset.get_tools(ctx)).get(name)
    if tool is None:
        raise ToolExecutionError(
            f"tool {name!r} is not available for this call: its 'prepare' function leaves it out", "unavailable"
        )
    kind = tool.tool_def.kind  # a `prepare` function can change it from call to call
    if kind == "external":
        raise _deferred(name)
    if kind == "unapproved" and not is_approved:
        raise ApprovalWanted("requires_approval", approved)
    try:
        valid = tool.args_validator.validate_python(arguments)
    except ValueError as error:
        raise explain(error, held.definition.parameters_json_schema, arguments) from None
    try:
        await _check(tool, ctx, valid)
        return result_of_output(await held.toolset.call_tool(name, valid, ctx, tool))
    except Exception as error:
        if kind_of(error) == "ApprovalRequired":
            raise ApprovalWanted("ApprovalRequired", approved) from None
        if kind_of(error) == "CallDeferred":
            raise _deferred(name) from None
        raise


def _deferred(name: str) -> ToolExecutionError:
    message = f"tool {name!r} defers its call to the program that runs its agent (CallDeferred)"
    return ToolExecutionError(message, "deferred")


async def _check(tool: Any, ctx: Any, arguments: dict[str, Any]) -> None:
    """Validate the arguments with the user's own function, if there is one."""
    check = getattr(tool, "args_validator_func", None)
    if check is not None:
        await awaited(check(ctx, **arguments))


CLASSES = {
    "pydantic_ai.tools.Tool": ForeignClass(tools_of_tool),
    "pydantic_ai.toolsets.abstract.AbstractToolset": ForeignClass(tools_of_toolset, is_tool=False),
    "pydantic_ai.agent.abstract.AbstractAgent": ForeignClass(tools_of_agent, is_tool=False),
}

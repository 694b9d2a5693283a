"""pydantic-ai: tools, toolsets and agents; see `pydantic_ai/toolsets` of pydantic-ai 2.68.

Every tool is called through its toolset, as an agent calls it, so that a name, an approval or a timeout that a toolset
adds to another one is respected.
"""

import sys
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import partial
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.exported_calls import attachment_of, context_of_agent, imported, record_export, result_of_parts
from toolkit.frameworks.foreign_tools import ApprovalWanted, ForeignTool, awaited, explained, new_call_id, settled
from toolkit.frameworks.given_values import given
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.tools.base import Tool
from toolkit.tools.calls.attachments import attachments_in
from toolkit.tools.calls.foreign_values import call_safely, has_base, kind_of, module_of_class
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.frameworks import framework_of
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="pydantic-ai",
    packages=("pydantic_ai",),
    classes=("pydantic_ai.*Agent", "pydantic_ai.*FunctionToolset", "pydantic_ai.*Tool"),
    registrations=(
        Registration(
            (
                "pydantic_ai.*Agent().tool",
                "pydantic_ai.*Agent().tool_plain",
                "pydantic_ai.*FunctionToolset().tool",
                "pydantic_ai.*FunctionToolset().tool_plain",
            )
        ),
        Registration(("pydantic_ai.*FunctionToolset().add_function",), "function"),
        Registration(("pydantic_ai.Tool", "pydantic_ai.tools.Tool"), "function"),
        Registration(
            ("pydantic_ai.Tool.from_schema", "pydantic_ai.tools.Tool.from_schema"),
            "definition",
            schema=("json_schema", 3),
        ),
        Registration(("pydantic_ai.*ToolDefinition",), "definition", schema=("parameters_json_schema",)),
        Registration(("pydantic_ai.*Agent",), "holder", function=("tools",)),
        Registration(("pydantic_ai.*FunctionToolset",), "holder", function=("tools", 0)),
    ),
    injected=Injected(types=("pydantic_ai.*RunContext",), is_first=(".tool",), usual=("ctx", "context", "run_context")),
    spreads_models=True,
    receivers=("agent", "*_agent", "toolset", "*_toolset"),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="requires_approval=True",
        declared=("requires_approval",),
        failure="let it be raised, or raise ModelRetry('…')",
    ),
    demands=Demands(
        first=("().tool",),
        first_since=(("FunctionToolset().tool", ("pydantic-ai-slim", "pydantic-ai"), "2.0.0"),),
        only_first=True,
    ),
)


def result_of_output(value: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    if kind_of(value) == "ToolReturn":
        content = value.content
        more = [] if content is None else [content] if isinstance(content, str) else content
        return result_of_parts(_parts([value.return_value, *more]), artifact=value.metadata)
    if _is_binary(value) or (isinstance(value, list | tuple) and any(map(_is_binary, value))):
        return result_of_parts(_parts(value if isinstance(value, list | tuple) else [value]))
    return value


def _parts(values: Iterable[Any]) -> Iterable[Any]:
    """Yield values, with binary content as attachments."""
    for value in values:
        yield attachment_of(value.media_type, value.data) if _is_binary(value) else value


def _is_binary(value: Any) -> bool:
    return has_base(type(value), "BinaryContent")


# See `pydantic_ai/_run_context.py` of pydantic-ai 2.68.


def run_context(
    context: ToolContext, tool: str, agent: Any, function: Any, *, call_id: str = "", is_approved: bool = False
) -> Any:
    """Return a `RunContext` for a call.

    Args:
        context: The context of the call; its value `deps`, or else all its values, become the dependencies.
        tool: The name of the tool.
        agent: The agent that has the tool, or None.
        function: The function behind the tool, or None; its first parameter declares the type of the dependencies.
        call_id: The id of the call.
        is_approved: Whether a reviewer has approved the call.
    """
    theirs = sys.modules["pydantic_ai.tools"].RunContext
    wanted = _type_of_dependencies(agent, function)
    return theirs(
        deps=None if wanted is NoneType else given(context, tool, "ctx.deps", wanted),
        model=getattr(agent, "model", None),
        usage=sys.modules["pydantic_ai.usage"].RunUsage(),
        agent=agent,
        tool_name=tool,
        tool_call_id=call_id,
        tool_call_approved=is_approved,
    )


def _type_of_dependencies(agent: Any, function: Any) -> Any:
    """Return the type of the dependencies, from the function's first parameter or else from the agent."""
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function), nothing)
    first = next(iter(hints.values()), None)
    return next(iter(get_args(first)), None) if "RunContext" in str(first) else getattr(agent, "deps_type", None)


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
        raise explained(error, held.definition.parameters_json_schema, arguments) from None
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


def to_pydantic_ai(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `Tool` of pydantic-ai, for agents: `Agent(model, tools=[to_pydantic_ai(tool)])`.

    Invalid arguments are sent back to the model as a `ModelRetry`, and any other failure as a `ToolFailed`. An artifact
    becomes the `metadata` of a `ToolReturn`, and images become its `content`. Exceptions that end more than the call
    are raised, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If pydantic-ai is not installed.
    """
    theirs = imported("pydantic_ai", "Tool", package="pydantic-ai-slim", wanted_by="to_pydantic_ai")
    retry = theirs.ModelRetry
    failed = getattr(theirs.exceptions, "ToolFailed", retry)
    handed = context_of_agent(context)

    async def call(**arguments: Any) -> Any:
        result = await tool.call(arguments, handed)
        if not result.succeeded:
            raise (retry if result.error_code == "invalid_arguments" else failed)(result.text)
        shown = attachments_in(result.artifact)
        pictures = [theirs.BinaryContent(one.data, media_type=one.media_type) for one in shown if one.data]
        return theirs.ToolReturn(result.text, content=pictures or None, metadata=result.artifact)

    record_export(call, tool)
    return theirs.Tool.from_schema(call, tool.name, tool.description, deepcopy(tool.spec.parameters))

"""Google ADK: tools, toolsets and agents; see `google/adk/tools` of google-adk 2.13."""

import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.foreign_tools import (
    ApprovalWanted,
    ForeignTool,
    awaited,
    keeping_what_is_approved,
    new_call_id,
    settled,
)
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.tools.calls.foreign_values import (
    bases_of_class,
    call_safely,
    has_base,
    is_routine,
    module_of_class,
    name_of_class,
)
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Google ADK",
    packages=("google.adk",),
    classes=("google.adk.tools.*Tool", "google.adk.*Agent"),
    registrations=(
        Registration(("google.adk.tools.*FunctionTool", "google.adk.tools.*LongRunningFunctionTool"), "function"),
        Registration(("google.adk.tools.*AgentTool",), "definition", function=(), name=(), named_after=("agent", 0)),
        Registration(("google.adk.*Agent",), "holder", function=("tools",), takes_objects=True),
    ),
    tool_classes=(ToolClasses(("google.adk.tools.*BaseTool",), ("run_async",), takes_call=True),),
    injected=Injected(
        types=("google.adk.*ToolContext", "google.adk.*CallbackContext", "google.adk.*Context"), names=("tool_context",)
    ),
    reads_docstrings=False,
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="FunctionTool(NAME, require_confirmation=True)",
        declared=("require_confirmation",),
        failure="return {'status': 'error', 'error_message': '…'}, since an exception ends the run of the agent",
    ),
)


_APP = "toolkit"


def tool_context(context: ToolContext, call_id: str, *, is_approved: bool = False) -> Any:
    """Return an ADK `ToolContext` for a call, with a session of its own.

    ADK is installed if one of its tools exists, and most of the modules are already imported.

    Args:
        context: The context of the call.
        call_id: The id of the call.
        is_approved: Whether a reviewer has approved the call.
    """
    sessions = import_module("google.adk.sessions")
    invocation = import_module("google.adk.agents.invocation_context").InvocationContext(
        session_service=sessions.InMemorySessionService(),
        session=sessions.Session(id=_APP, app_name=_APP, user_id=_APP, state=dict(context.values)),
        agent=import_module("google.adk.agents").Agent(name=_APP),
        invocation_id=_APP,
    )
    confirmed = import_module("google.adk.tools.tool_confirmation").ToolConfirmation(confirmed=True)
    theirs = import_module("google.adk.tools.tool_context").ToolContext
    return theirs(invocation, function_call_id=call_id, tool_confirmation=confirmed if is_approved else None)


VERSIONS = Versions("google-adk", (1, 14))
"""1.13 lacks `require_confirmation`."""


def tools_of_tool(tool: Any, agent: Any = None) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BaseTool`; a tool that Google runs itself has no declaration and is skipped."""
    declaration = tool._get_declaration()  # noqa: SLF001 - there is no public way to the declaration
    if declaration is None:
        return
    function = getattr(tool, "func", None)
    setting: Any = getattr(tool, "_require_confirmation", False)

    async def invoke(arguments: dict[str, Any], context: ToolContext) -> Any:
        call_id, given = new_call_id(), deepcopy(arguments)
        for guard in getattr(agent, "canonical_before_tool_callbacks", ()):
            handed = tool_context(context, call_id, is_approved=always)
            answer = await awaited(guard(tool=tool, args=given, tool_context=handed))
            if answer is not None:  # instead of the tool's result
                return _result_of(answer)
        with keeping_what_is_approved(declaration.name, arguments, given, context):
            return await _invoke(tool, given, context, call_id=call_id, is_approved=always)

    always = bool(setting) and not callable(setting)  # the gate asks about every call before it gets here
    spec = ToolSpec(
        declaration.name,
        declaration.description or "",
        _parameters_of(declaration),
        requires_approval=always,
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(
        spec,
        invoke,
        framework="google_adk",
        thing=tool,
        function=function,
    )


def tools_of_agent(agent: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent: its functions, tools and toolsets; its `before_tool_callback` can answer instead."""
    for each in agent.tools:
        if is_routine(each):
            yield from tools_of_tool(sys.modules["google.adk.tools.function_tool"].FunctionTool(each), agent)
        elif has_base(type(each), "BaseTool"):
            yield from tools_of_tool(each, agent)
        elif has_base(type(each), "BaseToolset"):
            yield from tools_of_toolset(each, agent)


def tools_of_toolset(toolset: Any, agent: Any = None) -> Iterator[ForeignTool]:
    """Yield the Tools of a toolset, except that of an MCP server, which would have to be started."""
    nothing: list[Any] = []
    if not has_base(type(toolset), "McpToolset"):
        for each in call_safely(lambda: settled(toolset.get_tools_with_prefix()), nothing):
            yield from tools_of_tool(each, agent)


def _parameters_of(declaration: Any) -> Mapping[str, Any]:
    """Return the JSON Schema of the arguments; the declaration may use Gemini's dialect of it."""
    if getattr(declaration, "parameters_json_schema", None) is not None:
        sent: Mapping[str, Any] = declaration.parameters_json_schema
        return sent
    if declaration.parameters is None:
        return {"type": "object", "properties": {}}
    schema: Mapping[str, Any] = _lowered(
        declaration.parameters.model_dump(mode="json", exclude_none=True, by_alias=True)
    )
    return schema


def _lowered(schema: Any) -> Any:
    """Return a Gemini schema with types in lower case, as in JSON Schema: `string` for `STRING`."""
    if isinstance(schema, list):
        return [_lowered(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    lowered = {name: _lowered(value) for name, value in schema.items()}
    return {**lowered, "type": kind.lower()} if isinstance(kind, str) else lowered


async def _invoke(
    tool: Any, arguments: dict[str, Any], context: ToolContext, *, call_id: str, is_approved: bool
) -> Any:
    """Call a tool as an agent does. Its condition is evaluated once, or twice if the call was approved in between.

    Raises:
        ApprovalWanted: If the tool requests confirmation.
    """
    handed = tool_context(context, call_id, is_approved=is_approved)
    approved = partial(_invoke, tool, arguments, context, call_id=call_id, is_approved=True)
    if not is_approved and not _checks_itself(tool):
        check = getattr(tool, "check_require_confirmation", None)  # missing before 2.6
        if check is not None and await awaited(check(arguments, handed)) is not False:
            raise ApprovalWanted("require_confirmation", approved)
    output = await tool.run_async(args=arguments, tool_context=handed)
    if handed.actions.requested_tool_confirmations and not is_approved:
        has_condition = callable(getattr(tool, "_require_confirmation", None))
        raise ApprovalWanted("require_confirmation" if has_condition else "request_confirmation", approved)
    return _result_of(output)


def _result_of(output: Any) -> Any:
    if isinstance(output, dict) and output.keys() == {"error"}:
        return ToolResult.failure(str(output["error"]), "error")
    return output


def _checks_itself(tool: Any) -> bool:
    """Return whether a tool evaluates its condition when it runs, as a `FunctionTool` does, rather than its agent."""
    ran = next(base for base in bases_of_class(type(tool)) if "run_async" in vars(base))
    return name_of_class(ran) == "FunctionTool" and module_of_class(ran).startswith("google.adk.")


CLASSES = {
    "google.adk.tools.base_tool.BaseTool": ForeignClass(tools_of_tool),
    "google.adk.tools.base_toolset.BaseToolset": ForeignClass(tools_of_toolset, is_tool=False),
    "google.adk.agents.llm_agent.LlmAgent": ForeignClass(tools_of_agent, is_tool=False),
}

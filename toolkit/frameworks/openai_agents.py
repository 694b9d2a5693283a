"""OpenAI Agents: tools and agents; see `agents/tool.py` of openai-agents 0.24."""

import sys
from base64 import b64encode
from collections.abc import Callable, Coroutine, Iterator, Mapping
from copy import copy, deepcopy
from functools import partial
from mimetypes import guess_type
from types import NoneType
from typing import Any, get_args, get_type_hints

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.exported_calls import (
    attachment_of,
    attachment_of_data_url,
    context_of_agent,
    imported,
    record_export,
    result_of_parts,
)
from toolkit.frameworks.foreign_tools import ApprovalWanted, ForeignTool, awaited, explained, new_call_id
from toolkit.frameworks.given_values import given
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.tools.base import Tool
from toolkit.tools.calls.attachments import Attachment, attachments_in
from toolkit.tools.calls.foreign_values import call_safely, kind_of
from toolkit.tools.calls.json_data import dumps
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="OpenAI Agents",
    packages=("agents",),
    classes=("agents.*FunctionTool", "agents.*CustomTool", "agents.Agent", "agents.agent.Agent"),
    registrations=(
        Registration(
            ("agents.function_tool", "agents.tool.function_tool", "agents.decorators.tool"),
            name=("name_override", "name"),
            description=("description_override", "description"),
        ),
        Registration(
            ("agents.FunctionTool", "agents.tool.FunctionTool"),
            "definition",
            function=("on_invoke_tool", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("params_json_schema", 2),
            takes_call=True,
        ),
        Registration(
            ("agents.CustomTool", "agents.tool.CustomTool"),
            "definition",
            function=(),
            name=("name", 0),
            description=("description", 1),
        ),
        Registration(
            ("agents.*Agent().as_tool",),
            "definition",
            function=(),
            name=("tool_name", 0),
            description=("tool_description", 1),
        ),
    ),
    injected=Injected(
        types=("agents.*RunContextWrapper", "agents.*ToolContext"),
        usual=("ctx", "context", "run_context", "tool_context"),
    ),
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="needs_approval=True",
        declared=("needs_approval",),
        failure="let it be raised, so that failure_error_function tells the model",
    ),
    demands=Demands(only_first=True, strict_unless="strict_mode"),
)


_KINDS = {"ToolOutputText": "text", "ToolOutputImage": "image", "ToolOutputFileContent": "file"}


def result_of_output(output: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    parts = output if isinstance(output, list) else [output]
    if not any(kind_of(part) in _KINDS for part in parts):
        return output
    return result_of_parts(map(_part, parts))


def _part(value: Any) -> Any:
    """Return a piece of an output as text or attachment, or as plain data if it is neither."""
    kind = _KINDS.get(kind_of(value))
    if kind is None:
        return value
    fields: Mapping[str, Any] = value.model_dump(exclude_none=True)
    if kind == "text":
        return fields["text"]
    if kind == "image":
        return attachment_of_data_url(fields.get("image_url", "")) or fields
    return _file(fields.get("file_data", ""), fields.get("filename")) or fields


def _file(data: str, name: str | None) -> Attachment | None:
    """Return the attachment of a file that is embedded in the output."""
    if not data or data.startswith("data:"):
        return attachment_of_data_url(data)
    return attachment_of(guess_type(name or "")[0] or "application/octet-stream", data)


def run_context(context: ToolContext, tool: Any, agent: Any, function: Any, arguments: str, call_id: str) -> Any:
    """Return a `ToolContext` of the framework for a call.

    Args:
        context: The context of the call; its value `context`, or else all its values, become the context of the run.
        tool: The framework's tool.
        agent: The agent that has the tool, or None.
        function: The function behind the tool, or None; the type of its first parameter is the type of the context.
        arguments: What the model wrote: JSON, or plain text for a tool without a schema.
        call_id: The id of the call.
    """
    wanted = _type_of_context(function)
    return sys.modules["agents.tool_context"].ToolContext(
        context=None if wanted is NoneType else given(context, tool.name, "ctx.context", wanted),
        tool_name=tool.name,
        tool_call_id=call_id,
        tool_arguments=arguments,
        agent=agent,
    )


def _type_of_context(function: Any) -> Any:
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function), nothing) if function is not None else nothing
    first = next(iter(hints.values()), None)
    return next(iter(get_args(first)), None) if "Context" in str(first) else None


# Guardrails may reject a call or replace its output; see `agents/tool_guardrails.py`.


async def checked_input(tool: Any, ctx: Any, agent: Any) -> None:
    """Check the arguments of a call with the tool's guardrails.

    Raises:
        ToolExecutionError: If a guardrail rejects the call.
    """
    for guardrail in tool.tool_input_guardrails or ():
        data = sys.modules["agents.tool_guardrails"].ToolInputGuardrailData(context=ctx, agent=agent)
        if (message := _refusal(guardrail, await guardrail.run(data))) is not None:
            raise ToolExecutionError(message, "rejected")


async def checked_output(tool: Any, ctx: Any, agent: Any, output: Any) -> Any:
    """Return the output of a tool, or the message of a guardrail that replaces it.

    Raises:
        ToolExecutionError: If a guardrail stops the run.
    """
    for guardrail in tool.tool_output_guardrails or ():
        data = sys.modules["agents.tool_guardrails"].ToolOutputGuardrailData(context=ctx, agent=agent, output=output)
        outcome = await guardrail.run(data)
        message = _refusal(guardrail, outcome)
        if message is not None and outcome.behavior["type"] == "raise_exception":
            raise ToolExecutionError(message, "rejected")
        if message is not None:
            return message
    return output


def _refusal(guardrail: Any, outcome: Any) -> str | None:
    """Return the reason why a guardrail rejects a call, or None if it allows it."""
    match outcome.behavior["type"]:
        case "allow":
            return None
        case "reject_content":
            return str(outcome.behavior["message"])
        case _:
            return f"the guardrail {guardrail.get_name()!r} of the tool stops the run"


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
        raise explained(error.__cause__, tool.params_json_schema, arguments) from None
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


def to_openai_agents(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `FunctionTool` of OpenAI Agents: `Agent(name="Clerk", tools=[to_openai_agents(tool)])`.

    A failed call returns a text that the model reads; images are returned as images. Exceptions that end more than the
    call are raised through the runner, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If OpenAI Agents is not installed.
    """
    theirs = imported("agents", "FunctionTool", package="openai-agents", wanted_by="to_openai_agents")
    handed = context_of_agent(context)

    async def call(_ctx: Any, arguments: str) -> Any:
        result = await tool.call(arguments, handed)
        shown = [one for one in attachments_in(result.artifact) if one.kind == "image" and one.data]
        if not shown:
            return result.text
        images = [theirs.ToolOutputImage(image_url=_data_url(one)) for one in shown]
        return [theirs.ToolOutputText(text=result.text), *images]

    made = theirs.FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=deepcopy(tool.spec.parameters),
        on_invoke_tool=call,
        strict_json_schema=bool(tool.spec.strict),
    )
    record_export(made, tool)
    return made


def _data_url(attachment: Attachment) -> str:
    return f"data:{attachment.media_type};base64,{b64encode(attachment.data).decode()}"

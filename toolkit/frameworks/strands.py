"""Strands: tools and agents; see `strands/tools/decorator.py` of strands-agents 1.62."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.exported_calls import attachment_of, result_of_parts
from toolkit.frameworks.foreign_tools import ForeignTool, explained
from toolkit.frameworks.given_values import GivenValues, given
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.tools.calls.foreign_values import kind_of
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Strands",
    packages=("strands",),
    classes=("strands.*AgentTool", "strands.*PythonAgentTool", "strands.*DecoratedFunctionTool"),
    registrations=(
        Registration(("strands.tool", "strands.tools.tool", "strands.tools.decorator.tool"), schema=("inputSchema",)),
    ),
    tool_classes=(
        ToolClasses(
            ("strands.*AgentTool",),
            ("stream",),
            name="tool_name",
            description="tool_spec",
            schema=("tool_spec",),
            takes_call=True,
        ),
    ),
    injected=Injected(types=("strands.*ToolContext",), names=("agent", "tool_context")),
    filler="Parameter NAME",
    spec_variable="TOOL_SPEC",
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring", failed=("status", "error")),
    demands=Demands(fields=True),
)


VERSIONS = Versions("strands-agents", (0, 3))
"""0.2 lacks `AgentTool.stream`, through which an agent calls a tool."""

_INTERRUPTS = "agent._interrupt_state"
"""The attribute of the agent that `tool_context.interrupt()` reads."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of an `AgentTool`."""
    sent = tool.tool_spec
    function = getattr(tool, "_tool_func", None)
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["inputSchema"].get("json", sent["inputSchema"]),
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(spec, partial(_invoke, tool), framework="strands", thing=tool, function=function)


def object_of_module(module: ModuleType) -> Any:
    """Return the tool that a module with a `TOOL_SPEC` and a function of the same name defines, or None."""
    spec = vars(module)["TOOL_SPEC"]
    function = vars(module).get(str(spec.get("name"))) if isinstance(spec, dict) else None
    return sys.modules["strands.tools.tools"].PythonAgentTool(spec["name"], spec, function) if function else None


async def _invoke(tool: Any, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    """Call a tool as an agent does, with a tool use and the agent's invocation state.

    Raises:
        ToolArgumentsError: If the tool rejects the arguments.
        ToolExecutionError: If the tool interrupts its agent.
    """
    use = {"toolUseId": tool.tool_name, "name": tool.tool_name, "input": arguments}
    agent = given(context, tool.tool_name, "agent")
    state = GivenValues({**context.values, "agent": agent}, tool.tool_name, "invocation_state")
    last: Any = None
    async for event in tool.stream(use, state):
        last = event
    error = getattr(last, "exception", None)
    if kind_of(last) == "ToolInterruptEvent" or _INTERRUPTS in str(error):
        message = f"tool {tool.tool_name!r} interrupts its agent, and only a program that runs one can answer"
        raise ToolExecutionError(message, "interrupted")
    if error is not None:
        if kind_of(error.__cause__) == "ValidationError" and isinstance(error.__cause__, ValueError):
            raise explained(error.__cause__, tool.tool_spec["inputSchema"].get("json", {}), arguments) from None
        raise error
    return _result_of(getattr(last, "tool_result", last))


def _result_of(answer: Mapping[str, Any]) -> ToolResult:
    result = result_of_parts(map(_part, answer["content"]))
    return ToolResult.failure(result.output, "error") if answer["status"] == "error" else result


def _part(block: Mapping[str, Any]) -> Any:
    """Return a content block as text or attachment, or as plain data if it is neither."""
    if "text" in block:
        return block["text"]
    if "json" in block:
        return block["json"]
    image = block.get("image")
    if not image or not image["source"].get("bytes"):
        return dict(block)
    return attachment_of(f"image/{image['format']}", image["source"]["bytes"])


_AGENT = ForeignClass.holding(lambda agent: agent.tool_registry.registry.values(), tools_of_tool)
CLASSES = {
    "strands.types.tools.AgentTool": ForeignClass(tools_of_tool),
    "strands.agent.agent.Agent": _AGENT,
}

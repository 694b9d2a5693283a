"""Haystack: tools, toolsets and agents; see `haystack/tools/tool.py` of haystack-ai 3.4."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from inspect import Parameter, signature
from typing import Any, get_type_hints

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.given_values import missing_value_error
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.calls.foreign_values import call_safely, kind_of
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Haystack",
    packages=("haystack",),
    classes=("haystack.tools.*Tool", "haystack.tools.*Toolset"),
    registrations=(
        Registration(("haystack.tools.tool", "haystack.tools.*.tool")),
        Registration(
            ("haystack.tools.*create_tool_from_function",), "function", name=("name", 1), description=("description", 2)
        ),
        Registration(
            ("haystack.tools.Tool", "haystack.tools.tool.Tool"),
            "definition",
            function=("function", 3),
            name=("name", 0),
            description=("description", 1),
            schema=("parameters", 2),
        ),
        Registration(("haystack.tools.*ComponentTool",), "definition", function=(), named_after_class=("component", 0)),
        Registration(("haystack.tools.*PipelineTool", "haystack.tools.*AgentTool"), "definition", function=()),
    ),
    tool_classes=(ToolClasses(("haystack.tools.*Tool",), ("invoke",), schema=("parameters",)),),
    injected=Injected(types=("haystack.*State",), mappings=("inputs_from_state",)),
    reads_docstrings=False,
    terms=Terms(parameter="Annotated[…, '…']"),
    demands=Demands(fields=True),
)


VERSIONS = Versions("haystack-ai", (2, 14))
"""2.13 lacks `haystack.components.agents.state`, the state that tools receive."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `Tool`."""
    function = _function_of(tool)
    spec = ToolSpec(**tool.tool_spec, location=place_of(function) if function is not None else None)
    yield ForeignTool(spec, partial(_invoke, tool), framework="haystack", thing=tool, function=function)


def tools_of_toolset(toolset: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of a `Toolset`."""
    for tool in toolset:
        yield from tools_of_tool(tool)


def tools_of_agent(agent: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an `Agent`: a toolset, or tools and toolsets.

    Those that a `ConfirmationHook` of the agent may ask about require approval.
    """
    hooks = (getattr(agent, "hooks", None) or {}).get("before_tool", ())
    for each in agent.tools or ():
        for tool in tools_of_toolset(each) if "Toolset" in kind_of(each) else tools_of_tool(each):
            yield tool.requiring_approval() if any(_asks_about(tool.name, hook) for hook in hooks) else tool


def _asks_about(name: str, hook: Any) -> bool:
    """Return whether a hook can ask about a tool: the most specific of its strategies counts, a name before `*`."""
    strategies = getattr(hook, "confirmation_strategies", None) or {}
    listed = (one for key, one in strategies.items() if isinstance(key, tuple) and name in key)
    strategy = strategies.get(name) or next(listed, None) or strategies.get("*")
    return strategy is not None and kind_of(getattr(strategy, "confirmation_policy", None)) != "NeverAskPolicy"


def _function_of(tool: Any) -> Any:
    return tool.function or getattr(tool, "async_function", None)


async def _invoke(tool: Any, arguments: dict[str, Any], context: ToolContext) -> Any:
    """Call a tool as an agent does; the values of the context are the agent's state."""
    whole = {**arguments, **_from_state(tool, arguments, context)}
    try:
        if getattr(tool, "async_function", None) is not None:
            output = await tool.invoke_async(**whole)
        else:
            output = await in_thread(partial(tool.invoke, **whole))
    except Exception as error:
        if kind_of(error) == "ToolInvocationError" and error.__cause__ is not None:
            raise error.__cause__ from None
        raise
    return _show(output, tool.outputs_to_string or {})


def _from_state(tool: Any, arguments: dict[str, Any], context: ToolContext) -> dict[str, Any]:
    """Return the arguments that a tool takes from the state of its agent.

    Raises:
        ToolExecutionError: If the tool needs a value that the context does not have.
    """
    found: dict[str, Any] = {}
    for key, name in (tool.inputs_from_state or {}).items():
        if key in context and name not in arguments:
            found[name] = context[key]
        elif name not in arguments and _is_needed(tool, name):
            raise missing_value_error(tool.name, name, key)
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(_function_of(tool)), nothing)
    states = [name for name, hint in hints.items() if name != "return" and getattr(hint, "__name__", "") == "State"]
    return found | {name: _state(context) for name in states}


def _is_needed(tool: Any, name: str) -> bool:
    parameter = signature(_function_of(tool)).parameters.get(name)
    return parameter is not None and parameter.default is Parameter.empty


def _state(context: ToolContext) -> Any:
    schema = {name: {"type": type(value)} for name, value in context.values.items()}
    return sys.modules["haystack.components.agents.state.state"].State(schema=schema, data=dict(context.values))


def _show(output: Any, settings: Mapping[str, Any]) -> Any:
    """Return what a model sees of an output: all of it, or what the tool's `outputs_to_string` selects."""
    if not settings:
        return output
    if not settings.keys() & {"source", "handler", "raw_result"}:
        return {name: _show(output, each) for name, each in settings.items()}
    chosen = output[settings["source"]] if settings.get("source") else output
    return settings["handler"](chosen) if settings.get("handler") else chosen


CLASSES = {
    "haystack.tools.tool.Tool": ForeignClass(tools_of_tool),
    "haystack.tools.toolset.Toolset": ForeignClass(tools_of_toolset, is_tool=False),
    "haystack.components.agents.agent.Agent": ForeignClass(tools_of_agent, is_tool=False),
}

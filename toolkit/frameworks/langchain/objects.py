"""Converts LangChain's tools and agents; see `langchain_core/tools/base.py` of langchain-core 1.7."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.langchain.injections import config_of, injected
from toolkit.frameworks.langchain.outputs import result_of_output
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.running import in_thread
from toolkit.tools.context import ToolContext
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import bases_of_class, has_base, kind_of, module_of_class
from toolkit.tools.shapes.objections import explain
from toolkit.tools.spec import ToolSpec

VERSIONS = Versions("langchain-core", (0, 3))

_CONVERSIONS = "langchain_core.utils.function_calling"
_GRAPH = "__pregel_scratchpad"
"""The key that LangGraph's `interrupt()` reads from the configuration of a run."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BaseTool`."""
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    sent = sys.modules[_CONVERSIONS].convert_to_openai_function(tool)
    spec = ToolSpec(
        sent["name"],
        sent.get("description", ""),
        sent.get("parameters", {"type": "object", "properties": {}}),
        return_behavior="immediate" if tool.return_direct else "to_model",
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(spec, partial(_invoke, tool), framework="langchain", thing=tool, function=function)


def tools_of_node(node: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of a LangGraph `ToolNode`."""
    for tool in node.tools_by_name.values():
        yield from tools_of_tool(tool)


def tools_of_graph(graph: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent, which is a graph with a `ToolNode` in it.

    Those of which the agent's `HumanInTheLoopMiddleware` asks require approval.
    """
    asked = {name for node in graph.nodes.values() for name in _asked_about(node.bound)}
    for node in graph.nodes.values():
        if hasattr(node.bound, "tools_by_name"):
            for tool in tools_of_node(node.bound):
                yield tool.requiring_approval() if tool.name in asked else tool


def _asked_about(node: Any) -> Iterable[str]:
    """Return the names of the tools that a node asks about before an agent calls them."""
    middleware = getattr(getattr(node, "func", None), "__self__", None)
    if not has_base(type(middleware), "HumanInTheLoopMiddleware"):
        return ()
    names: Iterable[str] = middleware.interrupt_on  # type: ignore[union-attr]  # as the line above says
    return names


async def _invoke(tool: Any, arguments: dict[str, Any], context: ToolContext) -> Any:
    """Call a tool as an agent does, with a complete tool call.

    Raises:
        ToolArgumentsError: If the tool's own schema rejects the arguments.
        ToolExecutionError: If the tool needs something that only an agent's graph has.
    """
    whole = {**arguments, **injected(tool, context, tool.name)}
    call = {"type": "tool_call", "id": tool.name, "name": tool.name, "args": whole}
    config = config_of(context)
    try:
        if _is_async(tool):
            output = await tool.ainvoke(call, config)
        else:
            output = await in_thread(partial(tool.invoke, call, config))
    except ValueError as error:
        if _is_about_arguments(error, tool):
            raise explain(error, _schema_of(tool), arguments) from None
        raise
    except KeyError as error:
        if error.args == (_GRAPH,):
            message = f"tool {tool.name!r} calls interrupt(), which only a graph of LangGraph can answer"
            raise ToolExecutionError(message, "interrupted") from None
        raise
    return result_of_output(output)


def _is_async(tool: Any) -> bool:
    """Return whether a tool has its own async implementation; LangChain runs others in a thread, and so do we."""
    if hasattr(tool, "coroutine"):
        return tool.coroutine is not None
    own = next(base for base in bases_of_class(type(tool)) if "_arun" in vars(base))
    return module_of_class(own) != "langchain_core.tools.base"


def _is_about_arguments(error: ValueError, tool: Any) -> bool:
    """Return whether an error means that the arguments are invalid, not other data that the tool validates."""
    schema = tool.args_schema
    return kind_of(error) == "ValidationError" and getattr(error, "title", None) == getattr(schema, "__name__", "")


def _schema_of(tool: Any) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = sys.modules[_CONVERSIONS].convert_to_openai_function(tool).get("parameters", {})
    return schema


CLASSES = {
    "langchain_core.tools.base.BaseTool": ForeignClass(tools_of_tool),
    "langchain_core.tools.base.BaseToolkit": ForeignClass.holding(lambda toolkit: toolkit.get_tools(), tools_of_tool),
    "langgraph.prebuilt.tool_node.ToolNode": ForeignClass(tools_of_node, is_tool=False),
    "langgraph.graph.state.CompiledStateGraph": ForeignClass(tools_of_graph, is_tool=False),
}

"""LangChain: `@tool`, `StructuredTool`, subclasses of `BaseTool`, and agents.

See `langchain_core/tools/base.py` of langchain-core 1.7.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import fields
from functools import partial
from typing import Any, get_args, get_origin, get_type_hints

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.exported_calls import (
    attachment_of,
    attachment_of_data_url,
    context_of_agent,
    imported,
    record_export,
    result_of_parts,
)
from toolkit.frameworks.foreign_tools import ForeignTool, explained
from toolkit.frameworks.given_values import first_missing_value, given, missing_value_error
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.base import Tool
from toolkit.tools.calls.attachments import Attachment
from toolkit.tools.calls.foreign_values import bases_of_class, call_safely, has_base, kind_of, module_of_class
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses


def injected(tool: Any, context: ToolContext, call_id: str) -> dict[str, Any]:
    """Return the arguments for the injected parameters of a tool.

    Raises:
        ToolExecutionError: If the context lacks a required value.
    """
    filled: dict[str, Any] = {}
    for name, annotations in _annotations_of(tool).items():
        for marker in annotations:
            if _is(marker, "ToolRuntime"):
                filled[name] = _runtime(marker, tool.name, name, context, call_id)
            elif _is(marker, "InjectedToolArg") and not _is(marker, "InjectedToolCallId"):
                filled |= _value(marker, tool, name, context)
    return filled


def config_of(context: ToolContext) -> dict[str, Any]:
    """Return the values of the context as a run configuration, where LangChain's tools look for such values."""
    return {"configurable": dict(context.values)}


def _annotations_of(tool: Any) -> Mapping[str, tuple[Any, ...]]:
    """Return the type and metadata of each parameter of a tool, from its schema or else from its function."""
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None) or _own_method(tool)
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function, include_extras=True), nothing) if function else {}
    annotations = {name: (getattr(hint, "__origin__", hint), hint, *_metadata(hint)) for name, hint in hints.items()}
    return annotations | {name: (field.annotation, *field.metadata) for name, field in _fields_of(tool).items()}


def _metadata(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__metadata__", ())


def _fields_of(tool: Any) -> Mapping[str, Any]:
    fields_of_schema: Mapping[str, Any] = getattr(tool.args_schema, "model_fields", {})
    return fields_of_schema


def _own_method(tool: Any) -> Any:
    """Return the `_run` or `_arun` method of a user's subclass, or None."""
    methods = (vars(base).get(name) for base in bases_of_class(type(tool)) for name in ("_run", "_arun"))
    return next((method for method in methods if method is not None), None)


def _is(marker: Any, name: str) -> bool:
    """Return whether an annotation is a class with this name, or an instance of one."""
    bare = get_origin(marker) or marker
    return has_base(bare if isinstance(bare, type) else type(bare), name)


def _runtime(marker: Any, tool: str, parameter: str, context: ToolContext, call_id: str) -> Any:
    """Return a `ToolRuntime` with state, context and store from the context."""
    cls = get_origin(marker) or marker
    known = {
        "state": given(context, tool, f"{parameter}.state"),
        "context": _context_of_graph(marker, tool, f"{parameter}.context", context),
        "config": config_of(context),
        "stream_writer": lambda _: None,
        "tool_call_id": call_id,
        "store": context.get("store"),
    }
    return cls(**{each.name: known[each.name] for each in fields(cls) if each.name in known})


def _context_of_graph(marker: Any, tool: str, what: str, context: ToolContext) -> Any:
    """Return the context of the graph; LangChain warns if it is not of the type that the tool declares."""
    wanted = next(iter(get_args(marker)), None)
    if wanted is None and not context.values:
        return None
    if "context" not in context and (lacking := first_missing_value(wanted, context)) is not None:
        raise missing_value_error(tool, what, lacking)
    return given(context, tool, what, wanted)


def _value(marker: Any, tool: Any, parameter: str, context: ToolContext) -> dict[str, Any]:
    """Return the value of a parameter; nothing if the context has none and the parameter has a default."""
    if _is(marker, "InjectedState") and not getattr(marker, "field", None):
        return {parameter: given(context, tool.name, parameter)}
    name = "store" if _is(marker, "InjectedStore") else getattr(marker, "field", None) or parameter
    if name in context:
        return {parameter: context[name]}
    field = _fields_of(tool).get(parameter)
    if field is not None and not field.is_required():
        return {}
    raise missing_value_error(tool.name, parameter, name)


MARKS = SourceMarks(
    title="LangChain",
    packages=("langchain", "langchain_core", "langchain_community", "langchain_classic", "deepagents"),
    classes=("langchain*.tools.*Tool", "langchain*.tools.*Toolkit", "langchain*.agents.Tool"),
    makers=("langchain*.*create_retriever_tool", "langchain*.tools.*convert_runnable_to_tool"),
    registrations=(
        Registration(
            ("langchain*.tools.tool", "langchain*.tools.*.tool", "langchain*.agents.tool"),
            name=(0, "name_or_callable", "name"),
            schema=("args_schema",),
        ),
        Registration(
            (
                "langchain*.tools.*StructuredTool.from_function",
                "langchain*.tools.*Tool.from_function",
                "langchain*.agents.Tool.from_function",
            ),
            "function",
            function=(0, "func", "coroutine"),
            name=("name", 1),
            description=("description", 2),
            schema=("args_schema",),
        ),
        Registration(
            ("langchain*.tools.*StructuredTool",),
            "definition",
            function=("func", "coroutine", 1),
            name=("name", 0),
            description=("description", 2),
            schema=("args_schema",),
        ),
        Registration(
            ("langchain*.tools.Tool", "langchain*.tools.*.Tool", "langchain*.agents.Tool"),
            "definition",
            function=("func", "coroutine", 1),
            name=("name", 0),
            description=("description", 2),
            schema=("args_schema",),
            parameters=("__arg1",),
        ),
        Registration(
            ("langchain*.*create_retriever_tool",),
            "definition",
            function=(),
            name=(1, "name"),
            description=(2, "description"),
        ),
        Registration(("langchain*.*.as_tool",), "definition", function=()),
        Registration(
            (
                "langchain.agents.create_agent",
                "langgraph.prebuilt.*create_react_agent",
                "deepagents.*create_deep_agent",
            ),
            "holder",
            function=("tools", 1),
        ),
        Registration(("langgraph.prebuilt.*ToolNode",), "holder", function=("tools", 0)),
        Registration(("langchain*.*().bind_tools",), "holder", function=("tools", 0), takes_models=True),
    ),
    tool_classes=(
        ToolClasses(
            ("langchain*.tools.*Base*Tool", "langchain*.tools.*StructuredTool", "langchain*.tools.Tool"),
            ("_run", "_arun"),
            schema=("args_schema",),
        ),
    ),
    injected=Injected(
        types=(
            "*InjectedToolArg",
            "*InjectedToolCallId",
            "*InjectedState",
            "*InjectedStore",
            "*ToolRuntime",
            "*CallbackManagerForToolRun",
            "*RunnableConfig",
            "*Callbacks",
        ),
        names=("run_manager", "callbacks", "runtime"),
    ),
    receivers=("*",),  # `bind_tools` has one meaning, and models come from many packages
    reads_docstrings=False,
    terms=Terms(
        parameter="Annotated[…, '…'], or parse_docstring=True and an 'Args:' section",
        method="Annotated[…, '…'], or Field(description='…') in an args_schema",
        approval="HumanInTheLoopMiddleware(interrupt_on={'NAME': True}) in the agent",
        failure="raise ToolException('…'), and set handle_tool_error = True on the tool",
        renamers=("crewai",),
    ),
    demands=Demands(docstring=True, parses_if="parse_docstring", plain=(0, "func")),
)


def result_of_output(output: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    messages = list(_messages_in(output))
    if not messages:
        return getattr(output, "update", None) if kind_of(output) == "Command" else output
    results = [_result_of_message(message) for message in messages]
    failed = next((result for result in results if not result.succeeded), None)
    if failed is not None or len(results) == 1:
        return failed or results[0]
    return result_of_parts(result.output for result in results)


def _messages_in(output: Any) -> Iterator[Any]:
    """Yield the `ToolMessage`s in an output, which may be one, a list, or a `Command` that adds some."""
    if isinstance(output, list):
        for one in output:
            yield from _messages_in(one)
    elif kind_of(output) == "Command":
        update = getattr(output, "update", None)
        added = update.get("messages", ()) if isinstance(update, Mapping) else ()
        yield from _messages_in(list(added))
    elif kind_of(output) == "ToolMessage":
        yield output


def _result_of_message(message: Any) -> ToolResult:
    content = message.content
    if isinstance(content, str):
        result = ToolResult.success(content, artifact=message.artifact)
    else:
        result = result_of_parts(map(_part, content), structured=content, artifact=message.artifact)
    return ToolResult.failure(result.output, "error") if message.status == "error" else result


def _part(block: Any) -> Any:
    """Return a content block as text or attachment, or unchanged if it is neither."""
    if not isinstance(block, Mapping):
        return block
    if block.get("type") == "text":
        return str(block.get("text", ""))
    return _attachment(block) or block


def _attachment(block: Mapping[str, Any]) -> Attachment | None:
    data = block.get("base64") or block.get("data")
    if isinstance(data, str):
        return attachment_of(str(block.get("mime_type", "application/octet-stream")), data)
    url = block.get("image_url")
    url = url.get("url") if isinstance(url, Mapping) else url
    return attachment_of_data_url(url) if isinstance(url, str) else None


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
            raise explained(error, _schema_of(tool), arguments) from None
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


def to_langchain(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a LangChain `BaseTool`, for agents: `create_agent(model, [to_langchain(tool)])`.

    A failed call becomes a `ToolMessage` with the status `error`; an artifact becomes its `artifact`. Exceptions that
    end more than the call are raised, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If LangChain is not installed.
    """
    theirs = imported("langchain_core.tools", "BaseTool", package="langchain-core", wanted_by="to_langchain")
    handed = context_of_agent(context)

    def output(result: ToolResult) -> tuple[str, Any]:
        if not result.succeeded:
            raise theirs.ToolException(result.text)
        return result.text, result.artifact

    class ExportedTool(theirs.BaseTool):  # type: ignore[misc, name-defined]  # whatever version is installed
        def _run(self, /, **arguments: Any) -> tuple[str, Any]:
            return output(tool.run(arguments, handed))

        async def _arun(self, /, **arguments: Any) -> tuple[str, Any]:
            return output(await tool.call(arguments, handed))

    record_export(ExportedTool, tool)
    return ExportedTool(
        name=tool.name,
        description=tool.description,
        args_schema=deepcopy(tool.spec.parameters),
        return_direct=tool.spec.return_behavior != "to_model",
        response_format="content_and_artifact",
        handle_tool_error=True,
    )

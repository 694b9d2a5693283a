"""LlamaIndex: tools and agents; see `llama_index/core/tools` of llama-index-core 0.14."""

from collections.abc import Iterator
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.given_values import missing_value_error
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="LlamaIndex",
    packages=("llama_index",),
    classes=("llama_index.*FunctionTool", "llama_index.*BaseToolSpec", "llama_index.*Tool"),
    registrations=(
        Registration(
            ("llama_index.*FunctionTool.from_defaults",),
            "function",
            function=(0, "fn", "async_fn"),
            name=("name", 1),
            description=("description", 2),
            schema=("fn_schema",),
        ),
        Registration(("llama_index.*FunctionTool",), "function", function=(0, "fn", "async_fn"), whole=("metadata", 1)),
        Registration(
            ("llama_index.*QueryEngineTool.from_defaults", "llama_index.*RetrieverTool.from_defaults"),
            "definition",
            function=(),
        ),
        Registration(
            ("llama_index.*QueryEngineTool", "llama_index.*RetrieverTool"),
            "definition",
            function=(),
            whole=("metadata", 1),
        ),
        Registration(
            (
                "llama_index.*FunctionAgent",
                "llama_index.*ReActAgent",
                "llama_index.*CodeActAgent",
                "llama_index.*AgentWorkflow.from_tools_or_functions",
            ),
            "holder",
            function=("tools", "tools_or_functions", 0),
        ),
    ),
    tool_classes=(
        ToolClasses(("llama_index.*BaseToolSpec",), listing="spec_functions"),
        ToolClasses(
            ("llama_index.*tools.BaseTool", "llama_index.*tools.types.BaseTool", "llama_index.*AsyncBaseTool"),
            ("__call__", "call", "acall"),
            takes_call=True,
        ),
    ),
    injected=Injected(types=("llama_index.*Context",)),
    reads_docstrings=True,
    terms=Terms(parameter="Annotated[…, '…']"),
)


VERSIONS = Versions("llama-index-core", (0, 12, 28))
"""0.12.27 lacks `real_fn`, the user's function behind a tool."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BaseTool`."""
    sent = tool.metadata.to_openai_tool(skip_length_check=True)["function"]
    function = getattr(tool, "real_fn", None)
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["parameters"],
        return_behavior="immediate" if tool.metadata.return_direct else "to_model",
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(spec, partial(_invoke, tool), framework="llama_index", thing=tool, function=function)


async def _invoke(tool: Any, arguments: dict[str, Any], context: ToolContext) -> Any:
    """Call a tool as a workflow does.

    Raises:
        ToolExecutionError: If the tool needs the context of its workflow, and the context has no value for it.
    """
    name = getattr(tool, "ctx_param_name", None)
    if name is not None and name not in context:
        raise missing_value_error(tool.metadata.name, name, name)
    whole = arguments if name is None else {**arguments, name: context[name]}
    function = getattr(tool, "real_fn", None)
    if hasattr(tool, "acall") and (function is None or iscoroutinefunction(function)):
        output = await tool.acall(**whole)
    else:
        output = await in_thread(partial(getattr(tool, "call", tool), **whole))
    if output.is_error:
        return ToolResult.failure(output.content, "error")
    is_text = isinstance(output.raw_output, str)
    return ToolResult.success(output.content, artifact=None if is_text else output.raw_output)


_AGENT = ForeignClass.holding(lambda agent: agent.tools or (), tools_of_tool)
CLASSES = {
    "llama_index.core.tools.types.BaseTool": ForeignClass(tools_of_tool),
    "llama_index.core.tools.tool_spec.base.BaseToolSpec": ForeignClass.holding(
        lambda spec: spec.to_tool_list(), tools_of_tool
    ),
    "llama_index.core.agent.workflow.base_agent.BaseWorkflowAgent": _AGENT,
}

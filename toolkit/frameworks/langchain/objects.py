"""LangChain's objects as Tools; see `langchain_core/tools/base.py` of langchain-core 1.7."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass
from toolkit.tools.context import ToolContext
from toolkit.tools.places import place_of
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool that a `BaseTool` is."""
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)

    async def invoke(arguments: dict[str, Any], _context: ToolContext) -> ToolResult:
        call = {"type": "tool_call", "id": tool.name, "name": tool.name, "args": arguments}
        return _result_of(await tool.ainvoke(call))

    spec = ToolSpec(
        tool.name,
        tool.description,
        _schema_of(tool),
        return_behavior="immediate" if tool.return_direct else "to_model",
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(spec, invoke, framework="langchain", thing=tool, function=function)


def _schema_of(tool: Any) -> Mapping[str, Any]:
    schema = tool.tool_call_schema
    described: Mapping[str, Any] = schema if isinstance(schema, Mapping) else schema.model_json_schema()
    return described


def _result_of(message: Any) -> ToolResult:
    """Return a `ToolMessage` as a result."""
    content = message.content
    if message.status == "error":
        return ToolResult.failure(content if isinstance(content, str) else str(content), "error")
    if isinstance(content, str):
        return ToolResult.success(content, artifact=message.artifact)
    return ToolResult.success("\n".join(map(str, content)), structured=content, artifact=message.artifact)


CLASSES = {"langchain_core.tools.base.BaseTool": ForeignClass(tools_of_tool)}

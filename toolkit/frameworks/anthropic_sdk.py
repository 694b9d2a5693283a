"""The Anthropic SDK: `@beta_tool` and `@beta_async_tool`.

See `anthropic/lib/tools/_beta_functions.py` of anthropic 2.12.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from inspect import isawaitable
from typing import Any

from toolkit.frameworks.exported_calls import contents_of, context_of_agent, definition_of, imported, record_export
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.base import Tool
from toolkit.tools.calls.attachments import result_of_contents
from toolkit.tools.calls.foreign_values import has_base
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Registration, Sent, SourceMarks, Terms

MARKS = SourceMarks(
    title="Anthropic SDK",
    packages=("anthropic",),
    classes=("anthropic.*BetaFunctionTool", "anthropic.*BetaAsyncFunctionTool"),
    registrations=(
        Registration(("anthropic.*beta_tool", "anthropic.*beta_async_tool"), schema=("input_schema",)),
        Registration(("anthropic.types.*ToolParam",), "definition", function=(), schema=("input_schema",)),
    ),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring"),
    sent=Sent(("input_schema",), ("anthropic", "langchain_anthropic"), ("api.anthropic.com",)),
)


VERSIONS = Versions("anthropic", (0, 84))
"""0.83 lacks `ToolError`, which tools raise when they fail."""

_ASYNC = "BetaAsyncFunctionTool"
_ERROR = "anthropic.lib.tools._beta_functions.ToolError"


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BetaFunctionTool` or a `BetaAsyncFunctionTool`."""
    is_async = has_base(type(tool), _ASYNC)

    async def invoke(arguments: dict[str, Any], _context: ToolContext) -> ToolResult:
        try:
            answer = tool.call(arguments) if is_async else await in_thread(partial(tool.call, arguments))
            return _result_of(await answer if isawaitable(answer) else answer)
        except Exception as error:
            if any(f"{base.__module__}.{base.__qualname__}" == _ERROR for base in type(error).__mro__):
                return _result_of(error.content, error_code="error")  # type: ignore[attr-defined]  # by its class
            raise

    described = tool.to_dict()
    spec = ToolSpec(
        described["name"],
        described["description"],
        described["input_schema"],
        strict=described.get("strict"),
        examples=tuple(described.get("input_examples") or ()),
        location=place_of(tool.func),
    )
    yield ForeignTool(spec, invoke, framework="anthropic_sdk", thing=tool, function=tool.func)


def _result_of(answer: str | Iterable[Any], error_code: str | None = None) -> ToolResult:
    if isinstance(answer, str):
        return ToolResult(answer) if error_code is None else ToolResult.failure(answer, error_code)
    return result_of_contents([_as_protocol(block) for block in answer], error_code=error_code)


def _as_protocol(block: Any) -> Mapping[str, Any]:
    """Return a block of the Messages API as a content block of MCP."""
    match block:
        case {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}:
            return {"type": "image", "mimeType": media_type, "data": data}
        case {"type": "document", "source": {"type": "base64", "media_type": media_type, "data": data}}:
            uri = block.get("title") or "document"
            return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": data}}
        case {"type": "document", "source": {"type": "text", "data": text}}:
            return {"type": "text", "text": text}
        case {"type": "image" | "document" as kind, "source": {"type": "url", "url": url}}:
            return {"type": "resource_link", "uri": url, "name": kind}
    same: Mapping[str, Any] = block
    return same


CLASSES = {"anthropic.lib.tools._beta_functions.BaseFunctionTool": ForeignClass(tools_of_tool)}


def to_anthropic_sdk(tool: Tool, context: ToolContext = NO_CONTEXT, *, is_async: bool = False) -> Any:
    """Return a Tool for `client.beta.messages.tool_runner(tools=[to_anthropic_sdk(tool)], …)`.

    A failed call raises the SDK's `ToolError`, which the runner sends with `is_error`; images become blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.
        is_async: Whether to return a `BetaAsyncFunctionTool`, for an `AsyncAnthropic`, instead of a `BetaFunctionTool`.

    Raises:
        ConfigurationError: If the SDK is not installed.
    """
    sdk = imported("anthropic", "beta_tool", package="anthropic", wanted_by="to_anthropic_sdk")
    failure = imported("anthropic.lib.tools", "ToolError", package="anthropic", wanted_by="to_anthropic_sdk").ToolError
    handed = context_of_agent(context)

    def answer(result: ToolResult) -> Any:
        if not result.succeeded:
            raise failure(result.error)
        return _content(result)

    def call(**arguments: Any) -> Any:
        return answer(tool.run(arguments, handed))

    async def call_async(**arguments: Any) -> Any:
        return answer(await tool.call(arguments, handed))

    record_export(call_async if is_async else call, tool)
    described = definition_of(tool, "anthropic")
    mark = sdk.beta_async_tool if is_async else sdk.beta_tool
    return mark(
        call_async if is_async else call,
        name=described["name"],
        description=described.get("description") or tool.name,
        input_schema=described["input_schema"],
    )


def _content(result: ToolResult) -> Any:
    """Return a result as text, or as blocks of the Messages API if it contains images."""
    blocks = [_of_messages(block) for block in contents_of(result)]
    return result.output if all(block["type"] == "text" for block in blocks) else blocks


def _of_messages(block: dict[str, Any]) -> dict[str, Any]:
    match block:
        case {"type": "image", "mimeType": media_type, "data": data}:
            return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}
        case {"type": "text"}:
            return block
        case {"type": "resource", "resource": {"text": text}}:
            return {"type": "text", "text": text}
    return {"type": "text", "text": f"[{block['type']} {block.get('uri') or block.get('mimeType') or ''}]"}

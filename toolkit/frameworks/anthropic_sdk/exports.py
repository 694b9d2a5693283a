"""Exports a Tool to the tool runners of the Anthropic SDK."""

from typing import Any

from toolkit.dialects import export
from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.frameworks.wire_exports import contents_of
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.results import ToolResult


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
    described = export(tool.spec, "anthropic").definition
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

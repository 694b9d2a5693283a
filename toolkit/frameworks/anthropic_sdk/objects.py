"""Converts the Anthropic SDK's function tools; see `anthropic/lib/tools/_beta_functions.py` of anthropic 2.12."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from inspect import isawaitable
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass
from toolkit.frameworks.supported_versions import Versions
from toolkit.running import in_thread
from toolkit.tools.attachments import result_of_contents
from toolkit.tools.context import ToolContext
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import has_base
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

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

"""A tool as a module, as agents of Strands load it."""

from typing import Any

from strands.types.tools import ToolResult, ToolUse

TOOL_SPEC = {
    "name": "forecast",
    "description": "Tell the weather of the coming days in a city.",
    "inputSchema": {
        "json": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The city."}},
            "required": ["city"],
        }
    },
}


def forecast(tool: ToolUse, **_kwargs: Any) -> ToolResult:
    """Tell the weather."""
    city = tool["input"]["city"]
    return {"toolUseId": tool["toolUseId"], "status": "success", "content": [{"text": f"{city}: sunny"}]}

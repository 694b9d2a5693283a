"""Tools of an agent of Strands."""

from typing import Any

from strands import ToolContext, tool


@tool
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days.

    Args:
        city: The city.
        days: How many.
    """
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


@tool(context=True)
async def greet(words: str, tool_context: ToolContext) -> dict[str, Any]:
    """Greet the customer."""
    customer = tool_context.invocation_state["customer"]
    return {"status": "success", "content": [{"text": f"{words}, {customer}!"}, {"json": {"words": words}}]}


@tool
def refuse(words: str) -> dict[str, Any]:
    """Refuse something."""
    return {"status": "error", "content": [{"text": f"no {words}"}]}


@tool(context=True)
def confirm(words: str, tool_context: ToolContext) -> str:
    """Ask the customer."""
    return str(tool_context.interrupt("sure", reason=words))

"""Tools of an agent of Google ADK."""

from typing import Any

from google.adk.agents import Agent
from google.adk.tools import FunctionTool, ToolContext


def forecast(city: str, days: int = 1) -> dict[str, Any]:
    """Tell the weather of the coming days."""
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return {"city": city, "days": days}


def greet(words: str, tool_context: ToolContext) -> str:
    """Greet the customer."""
    return f"{words}, {tool_context.state['customer']}!"


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def is_much(amount: int) -> bool:
    """Say whether an amount is large."""
    return amount > 100


def close_account(tool_context: ToolContext) -> str:
    """Close the account."""
    if not tool_context.tool_confirmation:
        tool_context.request_confirmation(hint="Close it?")
        return "waiting"
    return "closed"


def cancel(order: int) -> str:
    """Cancel an order."""
    return f"cancelled {order}"


root_agent = Agent(
    name="clerk",
    tools=[
        forecast,
        greet,
        close_account,
        FunctionTool(pay, require_confirmation=is_much),
        FunctionTool(cancel, require_confirmation=True),
    ],
)

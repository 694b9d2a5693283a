"""Tools of a hotel's agent, in every way in which OpenAI Agents defines and calls one."""

import asyncio
from dataclasses import dataclass
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    RunContextWrapper,
    ToolGuardrailFunctionOutput,
    ToolOutputImage,
    ToolOutputText,
    function_tool,
    tool_input_guardrail,
    tool_output_guardrail,
)
from agents.tool_context import ToolContext


@dataclass
class Guest:
    """Who is asking."""

    name: str


@function_tool
def greet(ctx: RunContextWrapper[Guest], words: str) -> str:
    """Greet the guest.

    Args:
        words: How.
    """
    return f"{words}, {ctx.context.name}!"


@function_tool(strict_mode=False)
async def rooms(beds: int, floor: int = 1) -> dict[str, Any]:
    """List the free rooms."""
    return {"beds": beds, "floor": floor, "free": [12]}


@function_tool
def described(ctx: ToolContext[Any], number: int) -> str:
    """Describe a room."""
    return f"{ctx.tool_name} {number}: {ctx.tool_arguments}"


@function_tool(needs_approval=True)
def cancel(number: int) -> str:
    """Cancel a booking."""
    return f"cancelled {number}"


async def is_long(_ctx: RunContextWrapper[Any], arguments: dict[str, Any], _call_id: str) -> bool:
    """Say whether a stay is long."""
    return arguments["nights"] > 7


@function_tool(needs_approval=is_long)
def book(nights: int) -> str:
    """Book a room."""
    return f"booked for {nights} nights"


@function_tool
def clean(number: int) -> str:
    """Have a room cleaned."""
    raise OSError(f"nobody has the key of {number}")


@function_tool(failure_error_function=lambda ctx, error: f"ask at the desk: {error}")
def open_door(number: int) -> str:
    """Open a door."""
    raise OSError(f"no lock on {number}")


@function_tool(failure_error_function=None)
def close_door(number: int) -> str:
    """Close a door."""
    raise OSError(f"no door at {number}")


@function_tool(timeout=0.01)
async def wait_for(number: int) -> str:
    """Wait for a guest."""
    await asyncio.Event().wait()
    return f"{number} is here"


@function_tool(is_enabled=lambda ctx, agent: bool(ctx.context.get("staff")))
def revenue(year: int) -> str:
    """Say what was earned."""
    return f"{year}: a lot"


@tool_input_guardrail
def only_guests(data: Any) -> ToolGuardrailFunctionOutput:
    """Refuse what is not about guests."""
    if "boss" in data.context.tool_arguments:
        return ToolGuardrailFunctionOutput.reject_content("the boss is no guest")
    return ToolGuardrailFunctionOutput.allow()


@tool_output_guardrail
def no_secrets(data: Any) -> ToolGuardrailFunctionOutput:
    """Keep names to ourselves."""
    if "Ada" in data.output:
        return ToolGuardrailFunctionOutput.reject_content("a guest")
    if "Eve" in data.output:
        return ToolGuardrailFunctionOutput.raise_exception()
    return ToolGuardrailFunctionOutput.allow()


@function_tool(tool_input_guardrails=[only_guests], tool_output_guardrails=[no_secrets])
def who(name: str) -> str:
    """Say who somebody is."""
    return f"this is {name}"


@function_tool
def picture(number: int) -> list[Any]:
    """Show a room."""
    return [ToolOutputText(text=f"Room {number}"), ToolOutputImage(image_url="data:image/png;base64,iVBORw0KGgo=")]


async def answer(_ctx: ToolContext[Any], text: str) -> str:
    """Return the arguments as they came."""
    return text


by_hand = FunctionTool(
    name="by_hand",
    description="Return the arguments.",
    params_json_schema={"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
    on_invoke_tool=answer,
    strict_json_schema=False,
)

desk = Agent(name="Desk", tools=[greet, rooms, cancel])

"""Tools whose model writes a text instead of arguments."""

from typing import Any

from agents import Agent, CustomTool
from agents.tool_context import ToolContext


async def count(ctx: ToolContext[Any], text: str) -> str:
    """Count lines."""
    return f"{ctx.tool_name}: {len(text.splitlines())} lines"


def apply(_ctx: ToolContext[Any], patch: str) -> str:
    """Apply a patch."""
    return f"applied {patch}"


def erase(_ctx: ToolContext[Any], names: str) -> str:
    """Erase files."""
    return f"erased {names}"


async def is_long(_ctx: Any, text: str, _call_id: str) -> bool:
    """Say whether a patch is long."""
    return len(text) > 20


counter = CustomTool("count_lines", "Count the lines of a text, the last one included.", count)
patcher = CustomTool("apply_patch", "Apply a patch to the files of the project.", apply, needs_approval=is_long)
eraser = CustomTool("erase_files", "Erase the files that a text names, a line each.", erase, needs_approval=True)
agent = Agent(name="Desk", tools=[counter, patcher, eraser])

from typing import Literal

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("desk")
reads = {"readOnlyHint": True}


@server.tool(annotations=reads)
def second_item(text: str) -> str:
    """Return the second item."""
    items = text.split(",")
    if len(items) < 2:
        raise ToolError("the text has no second item")
    return items[1]


@server.tool(annotations=reads)
async def largest(values: list[int]) -> int:
    """Return the largest."""
    if not values:
        raise ValueError("there are no values")
    return max(values)


@server.tool(annotations=reads)
def length(text: str) -> int:
    """Return a length."""
    return len(text)


@server.tool(annotations=reads)
def unit(unit: Literal["c", "f"]) -> str:
    """Return a unit."""
    return unit

import json

from anthropic import beta_async_tool, beta_tool
from anthropic.lib.tools import ToolError

ORDERS = {"A-17": {"euros": 80}}


@beta_tool
def find_order(order: str) -> str:
    """Find an order."""
    if order not in ORDERS:
        raise ToolError("there is no such order")
    return json.dumps(ORDERS[order])


@beta_async_tool
async def second_word(text: str) -> str:
    """Return the second word."""
    words = text.split(" ")
    return words[1] if len(words) > 1 else ""


@beta_tool
def number(number: int) -> str:
    """Return a number."""
    return str(number)

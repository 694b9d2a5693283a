import json

from anthropic import beta_async_tool, beta_tool

ORDERS = {"A-17": {"euros": 80}}


@beta_tool
def crash_on_unknown_order(order: str) -> str:
    """Find an order."""
    return json.dumps(ORDERS[order])


@beta_async_tool
async def crash_on_words(text: str) -> str:
    """Return the second word."""
    return text.split(" ")[1]


@beta_tool
def exit_for_seven(number: int) -> str:
    """Return a number."""
    if number == 7:
        import os

        os._exit(1)
    return str(number)

"""A tool that counts for all."""

from toolkit import tool

total = 0


@tool
def add(number: int) -> int:
    """Add a number to the sum so far."""
    global total
    total += number
    return total

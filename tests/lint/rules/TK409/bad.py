"""A tool that counts for all."""

from toolkit import tool

total = 0


@tool
def add(number: int) -> int:
    """Add a number to the sum so far."""
    global total
    total += number
    return total


client = None
calls = 0


@tool
def connect(name: str) -> str:
    """Connect to a house of the shop."""
    global total, client, calls
    import client
    del calls
    return f"{name} {total} {client}"


@tool
def move(place: str) -> str:
    """Move the client to another place of the shop."""
    global client
    if client is None:
        client = "door"
    client = place
    return place

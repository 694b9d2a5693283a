"""A tool that reads what nobody writes."""

from toolkit import tool

START = 0


@tool
def add(number: int) -> int:
    """Add a number to the start."""
    total = START
    total += number
    return total


client = None


@tool
def subtract(number: int) -> int:
    """Subtract a number from the start."""
    global START, client
    return START - number if client is None else number


@tool
def multiply(number: int) -> int:
    """Multiply a number with the start, which is opened once."""
    global client
    if client is None:
        try:
            client = open_client()
        except OSError:
            return 0
    return client * number


def open_client() -> int:
    return 3

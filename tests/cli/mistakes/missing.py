import moneylib

from toolkit import tool


@tool(read_only=True)
def convert(cents: int) -> str:
    """Write an amount in euros.

    Args:
        cents: The amount.
    """
    return moneylib.euros(cents)

from toolkit import tool


@tool
def quote(weight: float) -> str:
    """Work out the postage for a parcel.

    Args:
        weight: The weight in kilograms.
    """
    return f"{weight * 2.5} EUR"


@tool
def convert(amount: float) -> float:
    """Convert an amount of euros into crowns.

    Args:
        amount: How many euros.

    Returns:
        The amount in crowns.
    """
    return amount * 11.5


@tool
def book(room: int) -> dict:
    """Book a room for tonight.

    Args:
        room: Its number.
    """
    return {"room": room}

from typing import TypedDict

from toolkit import tool


class Booking(TypedDict):
    room: int


@tool
def quote(weight: float) -> str:
    """Work out the postage for a parcel. Returns the price with its currency.

    Args:
        weight: The weight in kilograms.
    """
    return f"{weight * 2.5} EUR"


@tool
def find_order(number: int) -> str:
    """Find an order by its number.

    Args:
        number: The order's number.
    """
    return f"order {number}"


@tool
def book(room: int) -> Booking:
    """Book a room for tonight.

    Args:
        room: Its number.
    """
    return {"room": room}


@tool
def summary(text: str) -> str:
    """Says in a sentence what a text is about.

    Args:
        text: The text.
    """
    return text


@tool
def cancel(room: int) -> None:
    """Cancel tonight's booking of a room.

    Args:
        room: Its number.
    """

"""Docstrings that describe other parameters."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        town: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


@tool
def remind(when: str, whom: str) -> str:
    """Remind somebody of an appointment.

    Parameters
    ----------
    wen : str
        The day.
    place : str
        Where.
    """
    return f"{when} {whom}"


@tool
def book(room: str, first: str, last: str) -> str:
    """Book a room in the hotel.

    Args:
        room: The number of the room.
        last (str): The last day,
            as `2026-05-17`.
        first: The first day.

    Returns:
        What was booked.
    """
    return f"{room} {first} {last}"


@tool
def pay(euros: int) -> str:
    """Pay a bill of the hotel.

    :param euro: How much.
    """
    return f"{euros}"


@tool
def order(dish: str, amount: int, table: str) -> str:
    """Order a dish in the restaurant of the hotel.

    Args:
        dihs: The name of the dish.
        amuont: How many of it.
        waiter: Who brings it.
        price: What it costs.
    """
    return f"{dish} {amount} {table}"

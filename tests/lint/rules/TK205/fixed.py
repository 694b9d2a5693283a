"""Docstrings that describe other parameters."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


@tool
def remind(when: str, whom: str) -> str:
    """Remind somebody of an appointment.

    Parameters
    ----------
    when : str
        The day.
    whom : str
        Where.
    """
    return f"{when} {whom}"


@tool
def book(room: str, first: str, last: str) -> str:
    """Book a room in the hotel.

    Args:
        room: The number of the room.
        first: The first day.
        last (str): The last day,
            as `2026-05-17`.

    Returns:
        What was booked.
    """
    return f"{room} {first} {last}"


@tool
def pay(euros: int) -> str:
    """Pay a bill of the hotel.

    :param euros: How much.
    """
    return f"{euros}"


@tool
def order(dish: str, amount: int, table: str) -> str:
    """Order a dish in the restaurant of the hotel.

    Args:
        dish: The name of the dish.
        amount: How many of it.
        waiter: Who brings it.
        price: What it costs.
    """
    return f"{dish} {amount} {table}"

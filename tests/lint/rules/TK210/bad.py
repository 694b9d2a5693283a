"""Paragraphs that no model sees."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.

    For the weather of today, use `current_weather`,
    which is faster.

    Never call it twice.
    """
    return f"sun in {city}"


@tool
def pay(euros: int) -> str:
    """Pay a bill of the hotel.

    Args:
        euros: How much, in euros,
            without cents.

    Returns:
        What was paid.

    Usage:
        Only pay what a person has approved.
    """
    return f"{euros}"


class Hotel:
    @tool
    def book(self, room: int) -> str:
        """Book a room.

        Parameters:
            room: The number of the room.
        Ask before you book two rooms.

        It costs "money".
        """
        return f"{room}"

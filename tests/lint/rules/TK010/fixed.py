"""Comments that silence nothing."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"  # toolkit: ignore[TK401] since the city is read


@tool
def remind(when) -> str:  # toolkit: ignore[TK301, TK204, TK401]
    """Remind somebody of an appointment."""
    return "reminded"


VALUE = "# toolkit: ignore[TK201] is text here"  # toolkit: ignore

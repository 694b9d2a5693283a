"""Two tools of one name."""

from toolkit import tool


@tool
def weather(city: str) -> str:
    """Tell today's weather in a city."""
    return f"sun in {city}"


@tool(name="weather")
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"rain in {city}"

"""One tool under two names in Python is one tool."""

from toolkit import tool


@tool
def weather(city: str) -> str:
    """Tell today's weather in a city."""
    return f"sun in {city}"


@tool
def weather_before(city: str) -> str:
    """Tell yesterday's weather in a city."""
    return f"rain in {city}"


conditions = weather

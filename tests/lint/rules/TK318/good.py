"""A short definition."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast the weather in a city."""
    return city

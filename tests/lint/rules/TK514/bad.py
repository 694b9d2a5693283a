"""Not as it was pinned."""

from toolkit import tool


@tool
def forecast(city: str, days: int) -> str:
    """Forecast snow in a city."""
    return f"{city} {days}"

"""As it was pinned."""

from toolkit import tool


@tool(read_only=True)
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather in a city."""
    return f"{city} {days}"


@tool
def unpinned(city: str) -> str:
    """Do what nobody has pinned."""
    return city

"""Tools that print."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    print("looking", city, sep=": ")
    print()
    print(
        "twice",
    )
    return city

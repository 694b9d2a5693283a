"""Tools that print."""

import sys
from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    print("looking", city, sep=": ", file=sys.stderr)
    print(file=sys.stderr)
    print(
        "twice", file=sys.stderr,
    )
    return city

"""Tools that print."""

import sys
from sys import stdout

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


@tool
def measure(city: str) -> str:
    """Measure the temperature in a city."""
    print("looking", file=sys.stderr)
    sys.stderr.write(city)
    sys.stderr.buffer.write(city.encode())
    return city

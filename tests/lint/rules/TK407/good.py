"""Tools that print elsewhere."""

import io
import sys

from toolkit import tool


def helper() -> None:
    print("not a tool")


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    print("looking", file=sys.stderr)
    print(city, file=(text := io.StringIO()))
    return text.getvalue()


@tool
def measure(city: str) -> str:
    """Measure the temperature in a city."""
    sys.stderr.write(city)
    sys.stdout.flush()
    return city

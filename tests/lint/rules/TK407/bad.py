"""Tools that print."""

from sys import stdout

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


@tool
def measure(city: str) -> str:
    """Measure the temperature in a city."""
    print("looking", file=stdout)
    stdout.write(city)
    stdout.buffer.write(city.encode())
    return city

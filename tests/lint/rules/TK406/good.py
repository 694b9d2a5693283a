import sys

from toolkit import tool

print("the weather is loaded", file=sys.stderr)


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"


if __name__ == "__main__":
    print(forecast("Oslo"))

from smolagents import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

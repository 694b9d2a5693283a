from agents import function_tool


@function_tool
def forecast(city: str, days: int | None = None) -> str:
    """Forecast the weather in a city.

    Args:
        city: The name of the city.
        days: For how many days; three unless it is given.
    """
    return f"{days or 3} days of sun in {city}"

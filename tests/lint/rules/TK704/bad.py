from agents import function_tool


@function_tool
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather in a city.

    Args:
        city: The name of the city.
        days: For how many days.
    """
    return f"{days} days of sun in {city}"

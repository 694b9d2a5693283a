"""A tool as the documentation of the framework would write it."""

from agents import Agent, function_tool


@function_tool(strict_mode=False)
def forecast(city: str, days: int = 1) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: A town, such as Oslo.
        days: How many days to look ahead.
    """
    return f"{city}: sunny for {days} days"


agent = Agent(name="weather", tools=[forecast])

from pydantic_ai import Agent

agent = Agent("test")


@agent.tool_plain
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city.
    """
    return f"sun in {city}"

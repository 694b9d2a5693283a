from langchain_core.tools import tool


@tool(parse_docstring=True)
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"

"""A tool as the documentation of the framework would write it."""

from langchain_core.tools import tool


@tool(parse_docstring=True)
def forecast(city: str, days: int = 1) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: A town, such as Oslo.
        days: How many days to look ahead.
    """
    return f"{city}: sunny for {days} days"

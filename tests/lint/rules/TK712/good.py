from typing import Annotated

from haystack.tools import tool


@tool
def forecast(city: Annotated[str, "The name of the city."]) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

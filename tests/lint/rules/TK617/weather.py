from typing import Annotated

from toolkit import tool


@tool(read_only=True, open_world=True)
def forecast(city: Annotated[str, "The name of the city."]) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

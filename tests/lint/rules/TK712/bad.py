from typing import Annotated

from haystack.tools import tool
from pydantic import Field


@tool
def forecast(city: Annotated[str, Field(description="The name of the city.")]) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

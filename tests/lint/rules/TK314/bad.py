"""Examples that their tools refuse."""

from typing import Annotated

from pydantic import Field

from toolkit import tool


@tool(examples=[{"city": "Oslo"}, {"town": "Oslo"}, {"city": "Oslo", "days": "many"}, {"city": "Oslo", "hours": 3}])
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather in a city."""
    return f"{city} {days}"


@tool
def count(start: Annotated[int, Field(description="Where to start.", examples=[1, "one"])]) -> str:
    """Count from a number."""
    return str(start)

"""As many values as this project wants."""

from typing import Literal

from toolkit import tool


@tool
def forecast(city: str, days: list[Literal[1, 2, 3]]) -> str:
    """Forecast the weather of some days."""
    return city + str(days)

"""Definitions that are longer than this project wants them, alone and together."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city, to about nine kilometres; summits are colder than it says."""
    return city


@tool
def warnings(city: str) -> str:
    """Tell which warnings of the weather service are in force in a city, and until when they are."""
    return city

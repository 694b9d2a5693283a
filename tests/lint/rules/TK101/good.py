"""Names that every provider takes."""

from toolkit import tool


@tool(name="get_rates_2")
def rates(currency: str) -> str:
    """Return today's exchange rates of a currency."""
    return currency


@tool(name="get-forecast")
def get_forecast(city: str) -> str:
    """Forecast next week's weather in a city."""
    return city


@tool
def Forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return city

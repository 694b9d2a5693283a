"""Names that no provider takes."""

from toolkit import tool


@tool(name="get rates!")
def rates(currency: str) -> str:
    """Return today's exchange rates of a currency."""
    return currency


@tool(name="get forecast")
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return city


@tool
def prévision(city: str) -> str:
    """Forecast tomorrow's weather in a city of France."""
    return city

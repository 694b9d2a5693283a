"""Tools that do not say what they return."""

from toolkit import tool


@tool
def forecast(city: str):
    """Forecast tomorrow's weather in a city."""
    return city


class Weather:
    """Tools that share a place."""

    @tool
    async def today(self, city: str):
        """Tell today's weather in a city."""
        return city


weather = Weather()

"""Parameters that nobody reads."""

from toolkit import tool, toolbox


@tool
def forecast(city: str, days: int) -> str:
    """Forecast the weather in a city."""
    return f"sun in {city}"


@toolbox()
class Weather:
    """Weather."""

    @tool
    async def tell(self, city: str, *, unit: str = "C") -> str:
        """Tell today's weather in a city."""
        return city

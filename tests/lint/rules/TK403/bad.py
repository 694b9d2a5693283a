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


@tool(metadata={"anthropic": {"allowed_callers": ["code_execution_20260521"]}})
def sales(year: int) -> list[dict]:
    """List the sales of a year."""
    return [{"month": 1, "euros": year}]


@tool(metadata={"openai": {"allowed_callers": ["direct", "programmatic"]}})
def stock(product: str) -> dict:
    """Count the pieces of a product."""
    return {"pieces": len(product)}

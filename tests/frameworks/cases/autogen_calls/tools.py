"""Tools of an agent of AutoGen."""

from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool, StaticWorkbench


def tell_weather(city: str, days: int = 1) -> str:
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


async def find_stations(city: str, cancellation_token: CancellationToken) -> dict[str, object]:
    return {"city": city, "cancelled": cancellation_token.is_cancelled()}


forecast = FunctionTool(tell_weather, name="forecast", description="Tell the weather of the coming days.")
bench = StaticWorkbench([FunctionTool(find_stations, description="Find the weather stations of a city.")])

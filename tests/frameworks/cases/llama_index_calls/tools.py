"""Tools of an agent of LlamaIndex."""

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from llama_index.core.workflow import Context


def tell_weather(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days."""
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


async def find_stations(city: str) -> dict[str, object]:
    """Find the weather stations of a city."""
    return {"city": city, "stations": 3}


async def remember(ctx: Context, city: str) -> str:
    """Keep a city in mind."""
    return city


forecast = FunctionTool.from_defaults(tell_weather, name="forecast")
stations = FunctionTool.from_defaults(async_fn=find_stations)
memory = FunctionTool.from_defaults(async_fn=remember)


class Units(BaseToolSpec):
    """Tools that go together."""

    spec_functions = ["to_fahrenheit"]

    def to_fahrenheit(self, degrees: float) -> float:
        """Convert degrees to Fahrenheit."""
        return degrees * 9 / 5 + 32


units = Units()

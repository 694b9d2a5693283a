"""An agent with a toolset of its own, whose tools have a prefix."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool
from google.adk.tools.base_toolset import BaseToolset


def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: A town, such as Oslo.
    """
    return f"{city}: sunny"


class Weather(BaseToolset):
    """What the weather station can do."""

    async def get_tools(self, readonly_context=None):
        return [FunctionTool(forecast)]

    async def close(self):
        pass


root_agent = Agent(name="weather", model="gemini", tools=[Weather(tool_name_prefix="north")])

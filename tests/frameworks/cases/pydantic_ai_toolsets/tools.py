"""An agent with a toolset that is made for each run, one of its own kind, and one of an MCP server."""

from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.toolsets import WrapperToolset


def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"{city}: sunny"


class Loud(WrapperToolset):
    """Answers in capitals."""

    async def call_tool(self, name, tool_args, ctx, tool):
        return (await super().call_tool(name, tool_args, ctx, tool)).upper()


agent = Agent("test")


@agent.toolset
def by_run(ctx: RunContext) -> FunctionToolset:
    return FunctionToolset([forecast])


def measure(city: str) -> str:
    """Measure the temperature in a city now."""
    return f"{city}: 21 degrees"


loud = Loud(FunctionToolset([measure]))

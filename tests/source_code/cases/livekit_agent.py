"""Tools of a voice agent."""

from livekit.agents import Agent, RunContext, function_tool


class Clerk(Agent):
    @function_tool(name="find_order", description="Find an order of the caller by its number.")
    async def find(self, context: RunContext, number: int) -> str:
        return str(number)

    @function_tool()
    async def cancel(self, ctx: RunContext[dict], number: int) -> str:
        """Cancel an order of the caller.

        Args:
            number: The number of the order.
        """
        return str(number)


@function_tool
async def opening_hours(day: str) -> str:
    """Tell when the shop is open on a day of the week."""
    return day


@function_tool(raw_schema={"name": "find_shop", "description": "Find a shop.", "parameters": {"type": "object"}})
async def find_shop(raw_arguments: dict[str, object]) -> str:
    return str(raw_arguments)

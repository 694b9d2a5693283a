"""Tools of agents of the Microsoft Agent Framework."""

from typing import Annotated

from agent_framework import Agent, FunctionTool, ai_function, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="never_require")
def find_order(number: Annotated[int, "The number of the order."]) -> str:
    """Find an order by its number."""
    return str(number)


@tool(name="cancel_order", description="Cancel an order.")
def cancel(number: int, **kwargs: object) -> str:
    return str(number)


@ai_function
def opening_hours(day: str) -> str:
    """Tell when the shop is open on a day of the week."""
    return day


def find_shop(town: str) -> str:
    """Find the shop of a town."""
    return town


def count_shops() -> int:
    """Count the shops."""
    return 3


ask_user = FunctionTool(name="ask_user", description="Ask the user.", func=None, input_model={"type": "object"})
writer = OpenAIChatClient().as_agent(name="writer", tools=find_shop)
clerk = Agent(client=OpenAIChatClient(), tools=[find_order, count_shops, writer.as_tool(name="write")])

"""Tools of agents of AG2."""

from typing import Annotated

from ag2 import Agent, Context, Plugin, Toolkit, tool
from pydantic import Field

plugin = Plugin()
kit = Toolkit()


@tool
def find(order: Annotated[str, Field(description="Its number.")], context: Context) -> str:
    """Find an order."""
    return order


@plugin.tool(name="pay_order")
def pay(order: str) -> str:
    """Pay an order."""
    return order


@kit.tool
def send(order: str) -> str:
    """Send an order."""
    return order


def count() -> str:
    """Count the orders."""
    return "1"


AGENT = Agent("clerk", tools=[find, count])

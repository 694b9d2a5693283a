"""Tools of agents of AutoGen 0.2, and of AG2 below 1.0."""

from typing import Annotated

from autogen import AssistantAgent, ConversableAgent, UserProxyAgent, register_function
from autogen.tools import Tool, tool
from pydantic import Field

clerk = AssistantAgent("clerk", llm_config={})
user = UserProxyAgent("user")
other = ConversableAgent("other", functions=[count])


@user.register_for_execution()
@clerk.register_for_llm(description="Find an order.")
def find(order: Annotated[str, "Its number."]) -> str:
    return order


def pay(order, fee=0) -> str:
    return order


def send(order: str) -> str:
    """Send it."""
    return order


def count() -> str:
    """Count."""
    return "1"


clerk.register_for_llm(name="pay_order", description="Pay an order.")(pay)
user.register_for_execution(name="pay_order")(pay)
register_function(send, caller=clerk, executor=user, name="send_order", description="Send an order.")


@tool(name="open", description="Open the shop.")
def open_shop(day: Annotated[str, Field(description="The day.")]) -> str:
    return day


CLOSE = Tool(name="close", description="Close the shop.", func_or_tool=count)

"""Tools of frameworks that we do not know, and what resembles them."""

import functools as tool
from json import JSONDecoder as BaseTool

import strange
from strange import Agent
from strange.tools import BaseTool as StrangeTool
from strange.tools import ShopTool, StructuredTool
from strange.tools import shop_tool
from strange.tools import tool as strange_tool


def find(order: str) -> str:
    """Find an order."""
    return order


@strange_tool
def pay(order: str) -> str:
    """Pay an order."""
    return order


@strange_tool(name="cancel_order")
def cancel(order: str) -> str:
    """Cancel an order."""
    return order


@shop_tool
def settle(order: str) -> str:
    """Settle an order."""
    return order


@strange.decorated
def ship(order: str) -> str:
    """Ship an order."""
    return order


class Refund(StrangeTool):
    name: str = "refund"
    description: str = "Refund an order."

    def _run(self, order: str) -> str:
        return order


class Named(StrangeTool):
    name = "named"

    def _run(self, order: str) -> str:
        return order


class Decoder(BaseTool):
    name = "decoder"
    description = "Decodes."

    def decode(self, text: str) -> str:
        return text


agent = Agent("clerk", tools=[find, pay, Refund(), "search"])
other = strange.client().chat("find it", tools=[find])
print(tools=[find, ship])
TOOLS = [find, ship]
plot = strange.figure(tools=["pan", "zoom"])


def set_up():
    agent = Agent("shop")

    @agent.tool("weigh", "Weigh an order.")
    def weigh_order(order: str) -> str:
        return order


def count(order: str) -> str:
    """Count an order."""
    return order


def count_again(order: str) -> str:
    """Count an order again."""
    return order


def count_more(order: str) -> str:
    """Count more."""
    return order


def count_last(order: str) -> str:
    """Count the last order."""
    return order


counted = StructuredTool.from_function(func=count, name="count_orders")
query = strange.Query.from_function(count, name="no_tool")


class Desk:
    def __init__(self, host):
        host.register(
            ShopTool(name="stock", description="Count the stock.", parameters={}, handler=find),
            ShopTool(name="no_tool", description="Nothing to call."),
            ShopTool(name="row", description="A row of a database.", schema={}, parameters=None),
            ShopTool(name="clerk", description="Ask the clerk.", parameters={}, tools=[count_last]),
        )


for _, tools in [("orders", [count_again]), ("stock", [count_more])]:
    strange.Engine().start(tools=tools)

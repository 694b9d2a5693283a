"""Tools whose names come from an object: an agent, a component, a class, or the base class that receives them."""

from agent_framework.azure import AzureOpenAIChatClient
from autogen_core.tools import BaseTool
from google.adk.agents import Agent
from haystack import component
from haystack.components.websearch import SerperDevWebSearch as WebSearch
from haystack.tools import ComponentTool
from langchain_classic.agents import Tool
from langchain_classic.tools import tool

weather = AzureOpenAIChatClient().create_agent(name="WeatherAgent", instructions="Answer.")
main = AzureOpenAIChatClient().create_agent(instructions="Ask.", tools=weather.as_tool())


class Stock(BaseTool[dict, dict]):
    def __init__(self):
        super().__init__(dict, dict, "fetch_stock", "Fetch the stock of an article.")

    async def run(self, args, cancellation_token):
        return args


class ShopTool(BaseTool[dict, dict]):
    def __init__(self, name, description):
        super().__init__(dict, dict, name, description)

    async def run(self, args, cancellation_token):
        return args


class Refund(ShopTool):
    def __init__(self):
        super().__init__("refund", "Refund an order by its number.")


class GetOrder:
    """Get an order by its number."""

    def __init__(self, shop):
        self.shop = shop

    def __call__(self, order: str) -> str:
        return order


get_order = GetOrder("shop")
clerk = Agent(name="clerk", tools=[get_order])


@component
class URLFinder:
    """Find the page of an article."""

    @component.output_types(url=str)
    def run(self, article: str):
        return {"url": article}


finder = URLFinder()
tools = [ComponentTool(component=finder), ComponentTool(WebSearch()), ComponentTool(WebSearch(), name="web")]
classic = Tool("count", str.count, "Count the parts of an order.")


@tool
def pay(order: str) -> str:
    """Pay an order by its number."""
    return order

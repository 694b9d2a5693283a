"""Less usual ways to register tools, and classes and calls that only look like one."""

import abc

from anthropic.types import ToolParam
from fastmcp import FastMCP
from fastmcp.server.providers import LocalProvider
from langchain_core.tools import BaseTool
from mcp.server.apps import Apps
from mcp.server.extension import ToolBinding
from pydantic_ai import Agent, Tool

provider = LocalProvider()
apps = Apps()
server = FastMCP("shop")


@provider.tool
def find_order(order: str) -> str:
    """Find an order by its number."""
    return order


@apps.tool(resource_uri="ui://shop")
def show_order(order: str) -> str:
    """Show an order by its number."""
    return order


class Base:
    def inherited(self, order: str) -> str:
        """Find an order by its number."""
        return order


class Search(Base):
    def search(self, order: str) -> str:
        """Find an order by its number."""
        return order


class Shop:
    def __init__(self, search: Search):
        self.search = search
        self.again = Search()
        self.agent = Agent("model", tools=[Tool(self.search.search)])
        server.add_tool(self.again.inherited)


search = Search()
server.tool(search.search, name="search_orders")


def pay(order: str) -> str:
    """Pay an order by its number."""
    return order


def send(order: str) -> str:
    """Send an order by its number."""
    return order


BINDINGS = [ToolBinding(fn=pay)]
first = Agent("model", tools=[pay])
second = Agent("model", tools=[pay])

for function in (pay, send):
    server.add_tool(function)


def wrap(order: str) -> str:
    """Wrap an order by its number."""
    return order


def weigh(order: str) -> str:
    """Weigh an order by its number."""
    return order


ORDERS = [wrap]
for function in [*ORDERS] + [weigh]:
    server.add_tool(function)


class ShopTool(BaseTool):
    shop: str = "shop"

    def _run(self, order: str) -> str:
        return order


class RefundTool(ShopTool):
    name: str = "refund"
    description: str = "Refund an order by its number."


class AbstractTool(BaseTool, abc.ABC):
    def _run(self, order: str) -> str:
        return order


def convert(tool) -> ToolParam:
    return ToolParam(name=tool.name, description=tool.description, input_schema=tool.schema)


def convert_all(tools) -> list[ToolParam]:
    return [ToolParam(name=tool.name, input_schema=tool.schema) for tool in tools]


def make_count(limit: int):
    def count(order: str) -> str:
        """Count the parts of an order."""
        return order[:limit]

    return count


third = Agent("model", tools=[make_count(3)])

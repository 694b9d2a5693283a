"""Tools as the documentation of LangChain writes them."""

from abc import ABC, abstractmethod

from google.genai import types
from langchain.agents import create_agent
from langchain.agents.agent_toolkits import create_retriever_tool
from langchain.tools import tool
from langchain_community.tools.playwright.base import BaseBrowserTool
from langchain_core.tools import BaseTool, StructuredTool, Tool, ToolException
from langgraph.prebuilt import ToolNode
from pydantic import BaseModel, Field


@tool
def search(query: str) -> str:
    return query


@tool("web_search", parse_docstring=True)
def search_web(query: str) -> str:
    return query


@tool
class Done(BaseModel):
    answer: str


def multiply(a: int, b: int) -> int:
    return a * b


async def multiply_later(a: int, b: int) -> int:
    return a * b


made = StructuredTool.from_function(func=multiply, coroutine=multiply_later, name="Multiplier")
later = StructuredTool.from_function(coroutine=multiply_later)
by_hand = Tool(name="calculator", func=multiply, description="Multiplies")


class Calculator(BaseTool):
    name: str = "calc"
    description: str = "Calculates"

    def _run(self, a: int) -> int:
        return a


class Multiplier(Calculator):
    name: str = Field(default="multiply")


class NamedLater(BaseTool):
    name: str = ""

    def _run(self, a: int) -> int:
        return a


class InConstructor(BaseTool):
    def __init__(self) -> None:
        super().__init__(name="constructed", description="x")

    def _run(self) -> None: ...


class BaseShopTool(BaseTool):
    shop: str


class Abstract(BaseTool, ABC):
    name: str = "abstract"

    @abstractmethod
    def _run(self) -> None: ...


agent = create_agent("model", tools=[search, multiply])
node = ToolNode([search])
other = types.Tool(function_declarations=[])


def fail() -> None:
    raise ToolException("no")


def count_orders(customer: str) -> int:
    """Count the orders of a customer."""
    return len(customer)


node = ToolNode([count_orders])


class LookAtPage(BaseBrowserTool):
    name: str = "look_at_page"
    description: str = "Return what the page of the browser shows."

    def _run(self) -> str:
        return self.sync_browser.text


older = create_retriever_tool(None, "search_pages", "Search the pages of the shop.")

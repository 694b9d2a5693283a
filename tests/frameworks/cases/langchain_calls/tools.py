"""Tools of a shop's agent, in every way in which LangChain defines and calls one."""

from dataclasses import dataclass
from typing import Annotated, Any

from langchain.tools import InjectedState, ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import (
    BaseTool,
    BaseToolkit,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    ToolException,
    tool,
)
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field, field_validator


@tool(parse_docstring=True)
async def stock(product: str, store: str = "Oslo") -> dict[str, Any]:
    """Say how many pieces of a product a store has.

    Args:
        product: Its name, as on the shelf.
        store: The city of the store.
    """
    return {"product": product, "store": store, "pieces": 7}


@tool(response_format="content_and_artifact")
def sales(days: int) -> tuple[str, list[int]]:
    """Sum up the sales of the last days."""
    numbers = list(range(days))
    return f"{sum(numbers)} sold in {days} days", numbers


class Discount(BaseModel):
    """A discount."""

    percent: int = Field(description="How much is taken off", multiple_of=5)

    @field_validator("percent")
    @classmethod
    def is_sensible(cls, value: int) -> int:
        """Refuse what nobody can mean."""
        if value > 90:
            raise ValueError("nothing is given away")
        return value


@tool(args_schema=Discount)
def discount(percent: int) -> str:
    """Set the discount of the day."""
    return f"{percent}% off"


class Convert(BaseTool):
    """A tool as a class."""

    name: str = "convert"
    description: str = "Convert an amount to another currency."
    rate: float = 11.5

    def _run(self, amount: float) -> float:
        return amount * self.rate


convert = Convert()
search = Tool(name="search", description="Search the catalogue.", func=lambda query: f"nothing called {query}")


@tool
def refund(order: int) -> str:
    """Pay an order back."""
    raise ToolException(f"there is no order {order}")


def cancel_order(order: int) -> str:
    """Cancel an order."""
    raise ToolException(f"order {order} is on its way")


cancel = StructuredTool.from_function(cancel_order, name="cancel", handle_tool_error=True)


@tool
def ship(order: int) -> str:
    """Send an order."""
    raise OSError(f"no carrier for order {order}")


@tool
def my_orders(customer: Annotated[str, InjectedToolArg]) -> str:
    """List the customer's orders."""
    return f"{customer} has none"


@dataclass
class Shopper:
    """Who is asking."""

    customer: str


@tool
def greet(words: str, runtime: ToolRuntime[Shopper]) -> str:
    """Greet the customer."""
    return f"{words}, {runtime.context.customer}!"


@tool
def configured(config: RunnableConfig) -> str:
    """Say who is asking."""
    return str(config["configurable"].get("customer", "nobody"))


@tool
def basket(state: Annotated[dict[str, Any], InjectedState], customer: Annotated[str, InjectedState("customer")]) -> str:
    """Show the basket."""
    return f"{customer}: {state['items']}"


@tool
def remember(words: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Keep something in mind."""
    return Command(update={"mind": words, "messages": [ToolMessage(f"kept: {words}", tool_call_id=tool_call_id)]})


@tool
def confirm(question: str) -> str:
    """Ask the customer."""
    return str(interrupt(question))


@tool
def picture(product: str) -> list[dict[str, Any]]:
    """Show a product."""
    return [
        {"type": "text", "text": f"This is the {product}."},
        {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"},
    ]


class Shelf(BaseToolkit):
    """The tools that go together."""

    def get_tools(self) -> list[BaseTool]:
        """Return them."""
        return [Convert(name="euros", description="Convert kroner to euros.", rate=0.09)]


shelf = Shelf()

"""Tools of agents of Agno."""

from agno.agent import Agent
from agno.tools import Function, Toolkit, tool


@tool
def find_order(number: int) -> str:
    """Find an order by its number.

    Args:
        number: The number of the order.
    """
    return str(number)


@tool(name="cancel_order", description="Cancel an order.", requires_confirmation=True)
def cancel(number: int, run_context) -> str:
    return str(number)


class ShopTools(Toolkit):
    def __init__(self, **kwargs):
        super().__init__(name="shop", tools=[self.open_shop, self.close_shop], **kwargs)

    def open_shop(self, town: str) -> str:
        """Open the shop of a town."""
        return town

    def close_shop(self, town: str) -> str:
        """Close the shop of a town."""
        return town


class OldTools(Toolkit):
    def __init__(self):
        super().__init__(name="old")
        self.register(self.count)
        self.register(self.sum_up, name="total")

    def count(self) -> int:
        """Count the shops."""
        return 3

    def sum_up(self) -> int:
        """Sum up."""
        return 3


class ListTools(Toolkit):
    def __init__(self, **kwargs):
        tools: list = []
        tools.append(self.later)
        if kwargs.get("all"):
            tools.append(self.never)
        super().__init__(name="list", tools=tools)

    def later(self) -> int:
        """Open the shop later."""
        return 3

    def never(self) -> int:
        """Never open the shop."""
        return 4


def find_shop(town: str, agent: Agent) -> str:
    """Find the shop of a town."""
    return town


def count_orders() -> int:
    """Count the orders."""
    return 3


ask_user = Function(name="ask_user", description="Ask the user.", parameters={"type": "object", "properties": {}})
agent = Agent(tools=[find_order, cancel, ShopTools(), find_shop, Function.from_callable(count_orders)])

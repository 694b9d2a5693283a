"""Tools of agents of AgentScope 1 and 2."""

from agentscope.agent import ReActAgent
from agentscope.service import ServiceToolkit
from agentscope.tool import FunctionTool, Toolkit, ToolBase, ToolResponse


def find(order: str, key: str) -> ToolResponse:
    """Find an order by its number.

    Args:
        order: The number of the order.
        key: The key of the shop.
    """
    return ToolResponse(content=[order, key])


def pay(order: str) -> ToolResponse:
    """Pay an order."""
    return ToolResponse(content=[order])


def count() -> int:
    """Count the orders of the shop."""
    return 1


class Clerk(ReActAgent):
    def __init__(self) -> None:
        super().__init__(name="clerk")
        self.toolkit.register_tool_function(self.send, group_name="orders")

    def send(self, order: str) -> ToolResponse:
        """Send an order."""
        return ToolResponse(content=[order])


class Cancel(ToolBase):
    name = "cancel_order"
    description = "Cancel an order."
    input_schema = {"type": "object", "properties": {"order": {"type": "string"}}}

    async def call(self, order: str) -> str:
        return order


toolkit = Toolkit()
toolkit.register_tool_function(find, preset_kwargs={"key": "1"})
toolkit.register_tool_function(pay, func_name="pay_order", func_description="Pay an order of the shop.")
ServiceToolkit().add(count)
TOOLS = Toolkit(tools=[FunctionTool(count, name="count_orders"), Cancel()])

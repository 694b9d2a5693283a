"""Tools of a bank's agent, in every way in which pydantic-ai defines and calls one."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from pydantic_ai import Agent, BinaryContent, FunctionToolset, ModelRetry, RunContext, Tool, ToolReturn
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.tools import ToolDefinition


@dataclass
class Bank:
    """What the agent's tools depend on."""

    customer: str
    limit: int = 100

    def greeting(self) -> str:
        """Greet the customer."""
        return f"Hei, {self.customer}!"


agent = Agent(deps_type=Bank)


@agent.tool
def greet(ctx: RunContext[Bank]) -> str:
    """Greet the customer."""
    return ctx.deps.greeting()


@agent.tool_plain
async def balance(account: str, currency: str = "NOK") -> dict[str, Any]:
    """Say what is on an account.

    Args:
        account: The number of the account.
        currency: Three letters.
    """
    return {"account": account, "amount": 7, "currency": currency}


@agent.tool_plain(requires_approval=True)
def close_account(account: str) -> str:
    """Close an account."""
    return f"closed {account}"


@agent.tool
def pay(ctx: RunContext[Bank], amount: int) -> str:
    """Pay an amount."""
    if amount > ctx.deps.limit and not ctx.tool_call_approved:
        raise ApprovalRequired
    return f"paid {amount}"


@agent.tool_plain
def sign(document: str) -> str:
    """Have the customer sign."""
    raise CallDeferred


@agent.tool_plain
def rate(currency: str) -> str:
    """Say what a currency costs."""
    raise ModelRetry(f"there is no currency {currency!r}")


@agent.tool_plain
def history(account: str) -> str:
    """Show what has happened on an account."""
    raise OSError(f"the archive of {account} is closed")


class Order(BaseModel):
    """A standing order."""

    amount: int = Field(gt=0)
    to: str


def standing_order(order: Order) -> Order:
    """Pay something every month."""
    return order


def only_round(ctx: RunContext[Any], order: Order) -> None:
    """Refuse what is not round."""
    if order.amount % 10:
        raise ModelRetry("the amount is not round")


monthly = Tool(standing_order, name="monthly", args_validator=only_round)

papers: FunctionToolset[Any] = FunctionToolset()


@papers.tool_plain
def statement(year: int) -> ToolReturn:
    """Print the statement of a year."""
    page = BinaryContent(b"%PDF", media_type="application/pdf")
    return ToolReturn(f"Statement of {year}", content=["This is it:", page], metadata={"year": year})


@papers.tool_plain
def card(number: int) -> BinaryContent:
    """Show a card."""
    return BinaryContent(b"PNG", media_type="image/png")


async def for_staff(ctx: RunContext[Any], definition: ToolDefinition) -> ToolDefinition | None:
    """Hide a tool from customers."""
    return definition if ctx.deps.get("staff") else None


@papers.tool(prepare=for_staff)
def audit(ctx: RunContext[Any], year: int) -> str:
    """Audit a year."""
    return f"audited {year}"


asked_papers = (
    papers.filtered(lambda ctx, tool: tool.name == "statement")
    .prefixed("old")
    .approval_required(lambda ctx, tool, arguments: arguments["year"] < 2000)
)

"""A tea shop: orders that go through its hands, and customers who owe it something."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from toolkit import tool

PRICES = {"assam": Decimal("7.20"), "sencha": Decimal("9.50"), "rooibos": Decimal("5.00")}


@dataclass
class Customer:
    """A customer; an agent that has found one may use its tools."""

    name: str
    address: str
    owes: Decimal

    @tool(read_only=True)
    def balance(self) -> str:
        """Tell what the customer owes."""
        return f"{self.name} owes {self.owes} €"

    @tool(destructive=True)
    def send_reminder(self, words: Annotated[str, "What the letter says"]) -> str:
        """Send the customer a letter about what is owed."""
        return f"sent to {self.address}: {words}"


@tool(read_only=True)
def find_customer(name: Annotated[str, "The surname"]) -> Customer:
    """Find a customer by name."""
    known = {"Lovelace": Customer("Ada Lovelace", "12 St James's Square", Decimal("21.60"))}
    return known[name]


@tool
def write_order(
    tea: Annotated[Literal["assam", "sencha", "rooibos"], "What is ordered"],
    packets: Annotated[int, "How many of them"],
) -> str:
    """Write down an order."""
    return f"{packets} {tea}, {PRICES[tea] * packets} €"


@tool
def confirm_order() -> str:
    """Confirm the order that was written down."""
    return "confirmed"


@tool(destructive=True)
def send_order(address: Annotated[str, "Where the parcel goes"]) -> str:
    """Send the order that was confirmed."""
    return f"on its way to {address}"


@tool(read_only=True)
def list_prices() -> dict[str, Decimal]:
    """List what a packet of each tea costs, in euros."""
    return PRICES

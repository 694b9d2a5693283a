from typing import Literal

from toolkit import tool


@tool(read_only=True)
def price(item: str, currency: Literal["EUR", "NOK"] = "EUR") -> str:
    """Look up what an item costs.

    Args:
        item: The name of the item.
        currency: The currency of the price.
    """
    return f"{item}: 3 {currency}"


@tool(destructive=True)
def refund(order: str, cents: int) -> str:
    """Pay money back to a customer.

    Args:
        order: The number of the order.
        cents: The amount.
    """
    return f"{order}: {cents}"

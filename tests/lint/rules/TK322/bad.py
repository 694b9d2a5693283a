from __future__ import annotations

from toolkit import tool


@tool
def pay(amount: Decimal) -> str:
    """Pay an amount of money to the shop.

    Args:
        amount: How much, in euros.
    """
    return f"paid {amount}"


@tool
def find(number: "Numbre") -> str:
    """Find an order of the shop by its number.

    Args:
        number: The order's number.
    """
    return f"order {number}"

from toolkit import tool


@tool(read_only=True)
def find_orders(customer: str) -> list[str]:
    """Find the orders of a customer in the shop.

    Args:
        customer: The number of the customer, such as C-7.
    """
    return [f"A-17 of {customer}"]


@tool(read_only=True)
def search_orders(customer: str) -> list[str]:
    """Search the shop for orders of a customer.

    Args:
        customer: The number of the customer, such as C-7.
    """
    return [f"A-18 of {customer}"]

from toolkit import tool


@tool(destructive=True)
def set_delivery(order: str, speed: str, slot: int) -> str:
    """Set how and when an order is delivered.

    Args:
        order: The number of the order, such as A-17.
        speed: The speed of the delivery.
        slot: The slot of the day in which it is delivered, from the first in the morning.
    """
    if speed not in {"standard", "express"}:
        raise ValueError("the speed must be standard or express")
    if not 1 <= slot <= 4:
        raise ValueError("the slot must be 1 to 4")
    return f"{order}: {speed}, slot {slot}"

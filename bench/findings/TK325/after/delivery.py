from typing import Annotated, Literal

from pydantic import Field

from toolkit import tool


@tool(destructive=True)
def set_delivery(order: str, speed: Literal["standard", "express"], slot: Annotated[int, Field(ge=1, le=4)]) -> str:
    """Set how and when an order is delivered.

    Args:
        order: The number of the order, such as A-17.
        speed: The speed of the delivery.
        slot: The slot of the day in which it is delivered, from the first in the morning.
    """
    return f"{order}: {speed}, slot {slot}"

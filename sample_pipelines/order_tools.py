"""Tools over orders. Amounts are decimals, so that not one øre is lost."""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated

from pydantic import Field

from toolkit import tool


@dataclass
class Line:
    """One line of an order."""

    product: str
    quantity: Annotated[int, Field(gt=0)]
    price: Annotated[Decimal, Field(ge=0, description="Price of one piece")]


@dataclass
class Order:
    """An order as the shop exports it."""

    number: str
    customer: str
    currency: str
    lines: Annotated[list[Line], Field(min_length=1)]
    discount_percent: Annotated[Decimal, Field(ge=0, le=100)] = Decimal(0)
    vat_percent: Annotated[Decimal, Field(ge=0)] = Decimal(25)


@dataclass
class Totals:
    """What an order comes to."""

    number: str
    currency: str
    pieces: int
    net: Decimal
    discount: Decimal
    vat: Decimal
    total: Decimal


@tool(read_only=True, idempotent=True)
def total_order(order: Order) -> Totals:
    """Add up an order: net, discount, value-added tax and total, each rounded to two places.

    Args:
        order: The order, with at least one line.
    """
    net = sum((line.quantity * line.price for line in order.lines), Decimal(0))
    discount = _rounded(net * order.discount_percent / 100)
    vat = _rounded((net - discount) * order.vat_percent / 100)
    return Totals(
        order.number,
        order.currency,
        pieces=sum(line.quantity for line in order.lines),
        net=_rounded(net),
        discount=discount,
        vat=vat,
        total=_rounded(net - discount + vat),
    )


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN)

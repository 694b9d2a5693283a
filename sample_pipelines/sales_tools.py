"""Tools over sales figures."""

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from toolkit import tool


@dataclass
class Sale:
    """One row of the figures."""

    month: str
    region: str
    product: str
    amount: Decimal


@tool(read_only=True, idempotent=True)
def read_sales(text: str) -> list[Sale]:
    """Read sales figures from CSV.

    Args:
        text: The CSV with the columns month, region, product and amount.
    """
    return [Sale(**(row | {"amount": Decimal(row["amount"])})) for row in csv.DictReader(io.StringIO(text))]


@tool(read_only=True, idempotent=True)
async def sum_by(sales: list[Sale], column: Literal["month", "region", "product"]) -> dict[str, Decimal]:
    """Add up sales by one column, the largest sum first.

    Args:
        sales: The figures.
        column: What to group them by.
    """
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for sale in sales:
        sums[getattr(sale, column)] += sale.amount
    return dict(sorted(sums.items(), key=lambda pair: -pair[1]))

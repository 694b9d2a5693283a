"""Defaults that fit."""

from decimal import Decimal
from pathlib import Path
from typing import Literal

from toolkit import tool


@tool
def forecast(
    city: str = "Oslo",
    days: int = 3,
    share: float = 1,
    units: str | None = None,
    kind: Literal["short", "long"] = "short",
    price: Decimal = Decimal("1.5"),
    file: Path = Path("a.txt"),
    cities: list[str] = ["Oslo"],
    seen: list[str] = [],
) -> str:
    """Forecast the weather in a city."""
    seen = [*seen, city]
    seen.append("x")
    return f"{city} {days} {share} {units} {kind} {price} {file} {cities} {seen}"

"""Texts of which the description says what they may be."""

from typing import Literal
from typing import Annotated

from toolkit import tool


@tool
def forecast(city: str, units: Literal["metric", "imperial"], kind: Literal["short", "long", "full"] = "short") -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city.
        units: The units of the answer, one of `metric` or `imperial`.
        kind: How much to tell. Allowed values are: 'short', 'long', and 'full'.
    """
    return f"{city} {units} {kind}"


@tool
def convert(amount: float, target: Annotated[str, 'The currency, must be "EUR", "NOK" or "USD"']) -> str:
    """Convert an amount into another currency."""
    return f"{amount} {target}"

"""Texts that may be anything, or whose type says what they may be."""

from typing import Literal

from toolkit import tool


@tool
def forecast(city: str, units: Literal["metric", "imperial"], style: str, name: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: One of the cities of the world, such as `Oslo` or `Bergen`.
        units: The units of the answer, one of `metric` or `imperial`.
        style: How to tell it; can be `short`, `long`, or any other word.
        name: Must be one of the user's friends.
    """
    return f"{city} {units} {style} {name}"

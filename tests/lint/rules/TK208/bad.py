"""Texts that were to be replaced."""

from typing import Annotated

from toolkit import tool


@tool
def forecast(city: Annotated[str, "..."], days: Annotated[int, "FIXME: how many?"]) -> str:
    """TODO: describe the forecast."""
    return f"{city} {days}"


@tool
def rates(currency: str) -> str:
    """Return rates. Lorem ipsum dolor sit amet.

    Args:
        currency: <description>
    """
    return currency


@tool
def my_tool(argument: Annotated[str, "Description of the argument."]) -> str:
    """Clear description for what this tool is good for, which an agent needs."""
    return argument

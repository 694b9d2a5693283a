"""Our own tools are in the list too."""

import toolkit
from toolkit import tool


@tool
def forecast(city: str) -> str:
    return city


@toolkit.tool(name="other")
def named(city: str) -> str:
    return city

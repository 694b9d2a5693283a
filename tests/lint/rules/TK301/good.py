"""Types that say what is wanted."""

from typing import Annotated, Any, Literal

from toolkit import tool


@tool
def everything(
    name: str,
    names: list[str],
    prices: dict[str, float],
    unit: Literal["C", "F"],
    extras: dict[str, Any],
    said: Annotated[list[str], "Some names."] = [],
    maybe: str | None = None,
) -> str:
    """Take what a model is told to send."""
    return f"{name} {names} {prices} {unit} {extras} {said} {maybe}"

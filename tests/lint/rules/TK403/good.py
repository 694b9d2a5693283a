"""Tools that say what they return."""

import functools

from toolkit import tool


def helper(city: str):
    return city


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return helper(city)


@tool
def forget(city: str) -> None:
    """Forget a city."""
    print(city)


def logged(function):
    @tool
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        """Call a function and say so."""
        return function(*args, **kwargs)

    return wrapper


@tool(metadata={"anthropic": {"allowed_callers": ["code_execution_20260521"]}})
def prices(product: str) -> dict[str, float]:
    """List the prices of a product by country."""
    return {"no": 3.5 * len(product)}


@tool(metadata={"anthropic": {"allowed_callers": ["direct"]}})
def stock(product: str) -> dict:
    """Count the pieces of a product."""
    return {"pieces": len(product)}

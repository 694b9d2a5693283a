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

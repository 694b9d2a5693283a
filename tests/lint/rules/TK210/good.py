"""Docstrings whose text a model sees, or that are not for a model."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    For the weather of today, use `current_weather`.

    Args:
        city: The name of the city, such as `Oslo`,

            or its postcode.

    Returns:
        The forecast.

        It has one line.

    Note:
        Only for Norway.
    """
    return f"sun in {city}"


@tool
def numpy(city: str) -> str:
    """Forecast the weather in a city.

    Parameters
    ----------
    city : str
        The name of the city.

    Returns
    -------
    str
        The forecast.
    """
    return city


@tool(description="Forecast the weather of next week in a city.")
def described(city: str) -> str:
    """Forecast the weather.

    Args:
        city: The name of the city.

    This is for developers.
    """
    return city


@tool
def plain(city: str) -> str:
    """Forecast the weather in a city.

    Args:
    city: The name of the city.

    Use `current_weather` for today.
    """
    return city


def helper(city: str) -> str:
    """Look a city up.

    Args:
        city: The name of the city.

    This is for developers.
    """
    return city

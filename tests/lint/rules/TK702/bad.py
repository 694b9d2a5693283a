from langchain_core.tools import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return SKY[city]


@tool
def without_blank_line(city: str) -> str:
    """Forecast tomorrow's weather in a city.
    Args:
        city: The name of the city, such as `Oslo`.
    """
    return SKY[city]


@tool
def one_too_many(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
        day: The day.
    """
    return SKY[city]


@tool
def listed(city: str, days: int) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city (str): The name of the city, such as `Oslo`,
            which is: a city.
        days(int): For how many days.
    """
    return SKY[city] * days


@tool
def untyped(city, days: int) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
        days: For how many days.
    """
    return SKY[city] * days


@tool
def in_numpy_style(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Parameters
    ----------
    city
        The name of the city, such as `Oslo`.
    """
    return SKY[city]


@tool
def parsed(city: str, days: int = 1) -> str:
    """Forecast tomorrow's weather in a city.

    It is always sunny.

    Args:
        city (str): The name of the city, such as `Oslo`,
            which is: a city.
        days: For how many days.

    Returns:
        The forecast.
    """
    return SKY[city] * days


SKY = {"Oslo": "sun"}

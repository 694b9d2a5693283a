from toolkit import tool


@tool(read_olny=True)
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


@tool(return_behavior="at once")
def greet(name: str) -> str:
    """Greet a customer who has just come in.

    Args:
        name: The customer's first name.
    """
    return f"hello {name}"

from toolkit import tool


@tool(read_only=True)
def get_forecast(city: str) -> str:
    """Return the weather forecast for a city.

    Args:
        city: The city.
    """
    return f"Sunny in {city}."


@tool(read_only=True)
def list_stations(country: str) -> list[str]:
    """Return the names of the weather stations of a country.

    Args:
        country: The country.
    """
    return [f"Station of {country}"]

"""Comments that silence nothing."""

from toolkit import tool


@tool
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"  # toolkit: ignore[TK401] since the city is read


@tool
def remind(when) -> str:  # toolkit: ignore[TK301, TK204, TK401]
    """Remind somebody of an appointment."""
    return "reminded".upper()


VALUE = "# toolkit: ignore[TK201] is text here"  # toolkit: ignore


@tool
def weigh(parcel) -> str:  # noqa: E501  # toolkit: ignore[TK301]
    """Weigh a parcel on the scales in the shop.

    Args:
        parcel: The number of the parcel.
    """
    return f"{parcel} weighs 1 kg"

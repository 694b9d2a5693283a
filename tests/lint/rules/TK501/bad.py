"""Characters that nobody sees."""

from typing import Annotated, Literal

from toolkit import tool


@tool(description="Tell today's weather.\u200b\u2063")
def escaped(city: str) -> str:
    return city


@tool
def hidden(city: str, unit: Annotated[Literal["C", "F​"], "C or‮ F."]) -> str:
    """Tell​ today's
    weather󠁨󠁩 in a city.

    Args:
        city: The​ name.
    """
    return city + unit


@tool
def pаy(euros: int) -> str:
    """Pay a bill of the hotel."""
    return str(euros)


PART = "Tell tomorrow's​ weather."


@tool(description=PART)
def elsewhere(city: str) -> str:
    return city


@tool
def hidden_in_code(city: str) -> str:
    """Forecast the weather in a city."""
    return f"sun in‮ {city}" + "\u202e"

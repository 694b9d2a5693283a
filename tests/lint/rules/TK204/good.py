"""Parameters of which it is said what they are, in every way there is."""

from typing import Annotated

from pydantic import Field

from toolkit import tool


@tool
def google(city: str, days: Annotated[int, "For how many days."], unit: Annotated[str, Field(description="C or F")]) -> str:
    """Forecast the weather in a city.

    Args:
        city: The name of the city.
    """
    return f"{city} {days} {unit}"


@tool
def numpy(city: str, days: int) -> str:
    """Forecast the weather in a city.

    Parameters
    ----------
    city : str
        The name of the city.
    days : int
        For how many days.
    """
    return f"{city} {days}"


@tool
def sphinx(city: str, days: int) -> str:
    """Forecast the weather in a city.

    :param city: The name of the city.
    :param int days: For how many days.
    """
    return f"{city} {days}"


CITY = Field(description="The name of the city, such as `Oslo`.")
Days = Annotated[int, "For how many days."]


@tool
def constants(days: Days, city: str = CITY, unit: Annotated[str, "C or F"] = "C") -> str:
    """Forecast the weather in a city."""
    return f"{city} {days} {unit}"


@tool
def full_width(topic: str, words: int) -> str:
    """Write a text on a topic.

    参数（Args）：
      - topic：What the text is on.
      - words（int）：About how many words it has.
    """
    return f"{topic} {words}"


@tool
def named(days: int, max_results: int, unit: str, style: str) -> str:
    """Forecast the weather in this city, `days` ahead; max_results limits the lines.

    unit: C or F. Example: named(style='short').
    """
    return f"{days} {max_results} {unit} {style}"


@tool
def renamed(city: str) -> str:
    """Forecast the weather in a city; TK205 reports the wrong name.

    Args:
        location: The name of the city.
    """
    return city


@tool
def listed(section: str, slug: str, style: str, tags: str) -> str:
    """Write a page of the handbook. Args: section (str) - one of the chapters; slug (str, optional) — its address;
    style – how it looks; tags (str): separated by commas.
    """
    return section + slug + style + tags

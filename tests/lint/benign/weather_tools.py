"""Tools as they should be: nothing is to be found in them."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from toolkit import ToolContext, ToolExecutionError, tool, toolbox

_SEEN: list[str] = []


@dataclass
class Place:
    """Where something is."""

    city: Annotated[str, "The name of the city, such as `Oslo`."]
    country: Annotated[str, "The country's code of two letters."] = "NO"


@tool(read_only=True)
def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> str:
    """Tell the weather in a city as it is now; for the days to come use `forecast`.

    Args:
        city: The name of the city, such as `Oslo`.
        unit: In which unit temperatures are told.

    Returns:
        One sentence, such as `12 degrees celsius and sun in Oslo`.
    """
    return f"12 degrees {unit} and sun in {city}"


@tool(read_only=True, open_world=True)
async def forecast(
    place: Annotated[Place, "The place that the forecast is for."],
    day: Annotated[date, "The day, one of the next ten."],
    hours: Annotated[int, Field(ge=1, le=24, description="For how many hours of the day.")] = 24,
) -> dict[str, float]:
    """Forecast the weather in a place on one of the next ten days.

    Returns:
        The temperature in degrees Celsius of each hour, by the hour.
    """
    if not place.city:
        raise ToolExecutionError("no city is named")
    return {f"{day} {hour}:00": 12.5 for hour in range(hours)}


@tool(destructive=True, requires_approval=True, open_world=False, idempotent=True)
def forget_history(before: Annotated[date, "The first day that is kept."], context: ToolContext) -> str:
    """Delete all measurements from before a day; this cannot be undone.

    Returns:
        What was deleted, in one sentence.
    """
    context.logger.info("forgetting")
    return f"forgot all before {before}"


@toolbox()
class Stations:
    """The weather stations of a country."""

    @tool(read_only=True)
    def find_station(self, words: Annotated[str, "Words of the station's name."]) -> list[str]:
        """Find weather stations by words in their names, the best match first.

        Returns:
            The names of at most ten stations.
        """
        return [station for station in ("Blindern", "Bergen") if words in station]

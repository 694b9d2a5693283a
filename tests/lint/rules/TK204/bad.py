"""Parameters of which nobody says what they are."""

from typing import Annotated

from pydantic import BaseModel, Field

from toolkit import ToolContext, tool


class Place(BaseModel):
    """A place."""

    city: str


@tool
def forecast(
    city: Annotated[str, "The name of the city."],
    date: str,
    place: Place,
    hours: Annotated[int, Field(ge=1)] = 1,
    unit: str = Field("C", description="C or F"),
    *,
    context: ToolContext,
) -> str:
    """Forecast the weather in a city.

    Args:
        place: Where in the city.
        context: Who asks.
    """
    return f"{city} {date} {place} {hours} {unit} {context}"


START = "Oslo"
HOURS = Field(ge=1)


@tool
def measure(city: str = START, hours: int = HOURS) -> str:
    """Measure the temperature in a city."""
    return f"{city} {hours}"


@tool
def read_note(note_id: str, page_size: int = 10) -> str:
    """Read a note from the notebook of the hotel."""
    return note_id


@tool
def find_note(hotel_name: str, words: str) -> str:
    """Find a note in the notebook of the hotel."""
    return words + hotel_name

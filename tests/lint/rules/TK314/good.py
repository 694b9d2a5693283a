"""Examples that fit."""

from typing import Annotated

from pydantic import BaseModel, Field

from toolkit import tool


class Place(BaseModel):
    """A place on earth."""

    lat: float
    lon: float


@tool(examples=[{"city": "Oslo"}, {"city": "Oslo", "days": 5}, {"city": "Oslo", "place": {"lat": 59.9, "lon": 10}}])
def forecast(city: Annotated[str, Field(examples=["Oslo"])], days: int = 3, place: Place | None = None) -> str:
    """Forecast the weather in a city."""
    return f"{city} {days} {place}"

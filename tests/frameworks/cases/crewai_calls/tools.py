"""Tools of a crew of CrewAI."""

from crewai.tools import BaseTool, tool
from pydantic import BaseModel, Field, field_validator


@tool("Forecast")
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days."""
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


@tool
async def stations(city: str) -> str:
    """Find the weather stations of a city."""
    return f"{city} has 3"


class Degrees(BaseModel):
    """What the converter takes."""

    degrees: float = Field(description="Degrees in Celsius.")

    @field_validator("degrees")
    @classmethod
    def is_possible(cls, value: float) -> float:
        """Refuse what is too cold."""
        if value < -273.15:
            raise ValueError("nothing is that cold")
        return value


class Convert(BaseTool):
    """A tool as a class."""

    name: str = "Bob's converter"
    description: str = "Convert degrees to Fahrenheit."
    args_schema: type[BaseModel] = Degrees
    max_usage_count: int | None = 1

    def _run(self, degrees: float) -> float:
        return degrees * 9 / 5 + 32


convert = Convert()

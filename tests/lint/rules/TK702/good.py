from typing import Annotated

from langchain_core.tools import tool
from pydantic import BaseModel, Field


@tool(parse_docstring=True)
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


class Place(BaseModel):
    city: str = Field(description="The name of the city.")


@tool
def annotated(city: Annotated[str, "The name of the city."]) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


@tool(args_schema=Place)
def with_schema(city: str) -> str:
    """Forecast tomorrow's weather in a city.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"


@tool(description="Forecast tomorrow's weather in a city.")
def with_description(city: Annotated[str, Field(description="The name of the city.")]) -> str:
    """Forecast it.

    Args:
        city: The name of the city, such as `Oslo`.
    """
    return f"sun in {city}"

"""The weather, for any client that speaks MCP."""

from dataclasses import dataclass
from typing import Annotated

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from pydantic import Field

mcp = FastMCP("Weather")
stations = FastMCP("Stations")


@dataclass
class Reading:
    station: str
    degrees: float


@mcp.tool
def forecast(city: Annotated[str, Field(description="The city.")], days: int = 1) -> str:
    """Tell the weather of the coming days."""
    return f"{city}: sunny for {days} days"


@mcp.tool(name="delete-station", annotations={"destructiveHint": True})
async def delete(station: str) -> dict:
    """Delete a weather station."""
    return {"deleted": station, "left": None}


@mcp.tool
async def measure(station: str, ctx: Context) -> Reading:
    """Measure the temperature now."""
    await ctx.report_progress(1, 2, "warming up")
    return Reading(station, 21.5)


@mcp.tool
async def ask(ctx: Context) -> str:
    """Ask which city is meant."""
    answer = await ctx.elicit("Which city?", response_type=str)
    return answer.data if answer.action == "accept" else answer.action


@mcp.tool
def fail(reason: str) -> str:
    """Fail on purpose."""
    raise ToolError(reason)


@mcp.tool
def break_down() -> str:
    """Fail by mistake."""
    return str(1 / 0)


@mcp.tool
def chart() -> Image:
    """Draw the week."""
    return Image(data=b"PNG", format="png")


@stations.tool
def nearest(city: str) -> str:
    """Find the nearest station."""
    return f"{city} North"


mcp.mount(stations, "stations")

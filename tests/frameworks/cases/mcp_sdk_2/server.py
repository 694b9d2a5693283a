"""The weather, for any client that speaks MCP."""

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

mcp = MCPServer("Weather")


class Place(BaseModel):
    city: str


class Reading(BaseModel):
    station: str
    degrees: float


@mcp.tool()
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days.

    Args:
        city: The city.
    """
    return f"{city}: sunny for {days} days"


@mcp.tool(name="delete-station", annotations=ToolAnnotations(destructive_hint=True))
async def delete(station: str) -> dict:
    """Delete a weather station."""
    return {"deleted": station, "left": None}


@mcp.tool()
async def measure(station: str, ctx: Context) -> Reading:
    """Measure the temperature now."""
    await ctx.report_progress(1, 2, "warming up")
    return Reading(station=station, degrees=21.5)


@mcp.tool()
async def ask(ctx: Context) -> str:
    """Ask which city is meant."""
    answer = await ctx.elicit("Which city?", schema=Place)
    return answer.data.city if answer.action == "accept" else answer.action


@mcp.tool()
def break_down() -> str:
    """Fail by mistake."""
    return str(1 / 0)


@mcp.tool()
def chart() -> list:
    """Draw the week."""
    return ["the week", Image(data=b"PNG", format="png")]

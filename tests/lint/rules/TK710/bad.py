# /// script
# dependencies = ["mcp>=1.2"]
# ///
from mcp.server.fastmcp import FastMCP

server = FastMCP("weather")


@server.tool()
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

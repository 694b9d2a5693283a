from fastapi import Header
from mcp.server.mcpserver import MCPServer

server = MCPServer("weather")


@server.tool()
async def forecast(city: str, ctx) -> str:
    """Forecast tomorrow's weather in a city."""
    await ctx.info("looking")
    return f"sun in {city}"


@server.tool()
async def cart(number: str, session_id: str = Header(None, alias="X-Session")) -> str:
    """Show the shopping cart."""
    return number + session_id

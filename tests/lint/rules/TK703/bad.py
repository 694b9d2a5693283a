from mcp.server.mcpserver import MCPServer

server = MCPServer("weather")


@server.tool()
async def forecast(city: str, ctx) -> str:
    """Forecast tomorrow's weather in a city."""
    await ctx.info("looking")
    return f"sun in {city}"

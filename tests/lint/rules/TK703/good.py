from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("weather")


@server.tool()
async def forecast(city: str, ctx: Context) -> str:
    """Forecast tomorrow's weather in a city."""
    await ctx.info("looking")
    return f"sun in {city}"

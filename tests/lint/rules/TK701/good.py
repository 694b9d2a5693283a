from mcp.server.mcpserver import MCPServer

server = MCPServer("weather")


@server.tool()
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"

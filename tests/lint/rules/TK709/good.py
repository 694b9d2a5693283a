from fastmcp import FastMCP

server = FastMCP("weather")


@server.tool
def forecast(cities: list[str]) -> str:
    """Forecast tomorrow's weather in some cities."""
    return f"sun in {cities}"

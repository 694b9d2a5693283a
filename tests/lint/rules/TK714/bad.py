from fastmcp import FastMCP
from fastmcp.apps import AppConfig

server = FastMCP("weather")


@server.tool(meta={"ui": {"resourceUri": "ui://weather/maps.html"}})
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"


@server.tool(meta={"ui": {"resourceUri": "https://weather.test/map.html"}})
def look_back(city: str) -> str:
    """Say how yesterday's weather was in a city."""
    return f"rain in {city}"


@server.tool(app=AppConfig(resource_uri="ui://weather/chart.html"))
def compare(city: str) -> str:
    """Compare the weather of a city with last year's."""
    return f"warmer in {city}"


@server.resource("ui://weather/map.html")
def weather_map() -> str:
    """The map of the weather."""
    return "<p>A map.</p>"

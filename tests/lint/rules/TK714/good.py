from fastmcp import FastMCP
from fastmcp.apps import AppConfig

server = FastMCP("weather")
CHART = "ui://weather/chart.html"
CLOUD = {"resourceUri": "/subscriptions/1/weather"}


@server.tool(meta={"ui": {"resourceUri": "ui://weather/map.html"}})
def forecast(city: str) -> str:
    """Forecast tomorrow's weather in a city."""
    return f"sun in {city}"


@server.tool(meta={"ui": {"resourceUri": "ui://towns/oslo"}})
def look_back(city: str) -> str:
    """Say how yesterday's weather was in a city."""
    return f"rain in {city}"


@server.tool(app=AppConfig(resource_uri=CHART))
def compare(city: str) -> str:
    """Compare the weather of a city with last year's."""
    return f"warmer in {city}"


@server.resource("ui://weather/map.html")
def weather_map() -> str:
    """The map of the weather."""
    return "<p>A map.</p>"


@server.resource("ui://towns/{name}")
def town(name: str) -> str:
    """A town."""
    return f"<p>{name}</p>"


@server.resource(CHART)
def chart() -> str:
    """The chart."""
    return "<p>A chart.</p>"

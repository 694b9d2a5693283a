import logging

from fastmcp import Context, FastMCP
from mcp.server.auth.settings import ClientRegistrationOptions

log = logging.getLogger("weather")
options = ClientRegistrationOptions(enabled=False)
server = FastMCP("weather")


@server.tool()
async def forecast(city: str, ctx: Context) -> str:
    """Forecast tomorrow's weather in a city."""
    log.info("asked for %s", city)
    await ctx.report_progress(1, 2)
    return f"sun in {city}"


def sample(random: object) -> object:
    return random.sample([1, 2], 1)


def main() -> None:
    server.run(transport="http")

from fastmcp import Context, FastMCP
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions

auth = AuthSettings(client_registration_options=ClientRegistrationOptions(enabled=True))
server = FastMCP("weather")


@server.tool()
async def forecast(city: str, ctx: Context | None = None) -> str:
    """Forecast tomorrow's weather in a city."""
    await ctx.debug(f"asked for {city}")
    await ctx.info("asked again")
    roots = await ctx.session.list_roots()
    answer = await ctx.sample(f"What is the weather in {city}? {roots}")
    return answer.text


def main() -> None:
    server.run(transport="sse")

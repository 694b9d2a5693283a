from agents import FunctionTool
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("weather")


@server.tool()
async def forecast(city: str, ctx: Context) -> str:
    """Forecast tomorrow's weather in a city."""
    await ctx.info("looking")
    return f"sun in {city}"


async def invoke(ctx, input_json: str) -> str:
    return input_json


SCHEMA = {"type": "object", "properties": {}}
tomorrow = FunctionTool(
    name="tomorrow", description="Forecast the weather.", params_json_schema=SCHEMA, on_invoke_tool=invoke
)

from mcp.server import Server
import mcp.types as types
server = Server("low")
@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [types.Tool(name="add-up", description="Add.", inputSchema={"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})]
@server.call_tool()
async def call(name, arguments):
    return [types.TextContent(type="text", text=str(arguments["a"] + 1))]

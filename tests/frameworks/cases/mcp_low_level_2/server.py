from mcp.server import Server
import mcp_types as types
async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="add-up", description="Add.", input_schema={"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})])
async def call(ctx, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(params.arguments["a"] + 1))])
server = Server("low", on_list_tools=list_tools, on_call_tool=call)

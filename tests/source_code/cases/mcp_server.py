"""Servers as the documentation of the MCP SDK writes them: low-level ones, and those with decorators."""

from enum import Enum

import mcp.types as types
from mcp import Tool as McpTool
from mcp.server import Server
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel


class Names(str, Enum):
    ADD = "git_add"


class Add(BaseModel):
    files: list[str]


server = Server("git")
PREFIX = "git_"


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(name="git_status", description="Shows the status", inputSchema={"type": "object", "properties": {}}),
        McpTool(name=Names.ADD, description="Adds files", inputSchema=Add.model_json_schema()),
        types.Tool(name=Names.ADD.value, inputSchema=Add.model_json_schema()),
        types.Tool(name=PREFIX + "log", inputSchema={}),
        types.Tool(name=make_name(), inputSchema={}),
    ]


first = FastMCP("first")
second = MCPServer("second")


@first.tool()
def forecast(city: str, ctx: Context) -> str:
    return city


@second.tool(name="second_forecast")
def forecast_again(city: str) -> str:
    return city


first.add_tool(forecast_again, "third_forecast")


@first.tool("fourth_forecast")
def named_forecast(city: str) -> str:
    return city

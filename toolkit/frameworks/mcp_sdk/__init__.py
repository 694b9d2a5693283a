"""The MCP SDK: servers of `FastMCP` (1) and `MCPServer` (2), and the low-level `Server` of both."""

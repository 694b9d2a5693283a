"""The MCP SDK: servers of `FastMCP` (version 1) and `MCPServer` (version 2), and the low-level `Server` of both."""

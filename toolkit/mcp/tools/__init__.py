"""The tools of MCP servers, as tools of this library."""

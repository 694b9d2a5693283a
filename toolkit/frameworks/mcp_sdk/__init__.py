"""MCP SDK."""

"""Serve tools to MCP clients over stdio and streamable HTTP."""

"""Sessions with MCP servers over stdio and HTTP, opened when needed and closed when this process ends."""

"""What works and what does not between the settings of an MCP server and a call of its tools, step by step."""

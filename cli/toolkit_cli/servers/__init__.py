"""What `toolkit mcp` does with configured MCP servers, besides listing them."""

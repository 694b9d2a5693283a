"""Tools of others: the supported frameworks, how source code shows their tools, and tools and forms of MCP servers."""

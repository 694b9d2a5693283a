"""The settings of MCP servers in configuration tables and editors' files, and the consent needed to use them."""

"""FastMCP: servers, mounted servers, and tools and functions outside of a server."""

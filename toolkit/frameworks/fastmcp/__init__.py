"""FastMCP."""

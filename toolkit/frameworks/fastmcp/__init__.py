"""FastMCP: servers, what is mounted in them, and tools and functions that stand in none."""

"""A destructive tool that the policy does not know."""

from toolkit import tool


@tool(destructive=True)
def drop_table(name: str) -> str:
    """Drop a table with all its rows."""
    return f"dropped {name}"

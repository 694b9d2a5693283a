"""Tools that the policy has rules for, and one that destroys nothing."""

from toolkit import tool


@tool(destructive=True)
def delete_note(path: str) -> str:
    """Delete a note in the project."""
    return f"deleted {path}"


@tool(destructive=True)
def forget(address: str) -> str:
    """Forget everybody with this address."""
    return f"forgot {address}"


@tool(read_only=True)
def count_rows(name: str) -> str:
    """Count the rows of a table."""
    return name

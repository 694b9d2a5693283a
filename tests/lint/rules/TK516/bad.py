"""A destructive tool that a pattern lets in."""

from toolkit import tool


@tool(destructive=True)
def note_delete(path: str) -> str:
    """Delete a note in the project."""
    return f"deleted {path}"


@tool(read_only=True)
def note_read(path: str) -> str:
    """Read a note in the project."""
    return path

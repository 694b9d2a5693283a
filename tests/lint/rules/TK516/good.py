"""A destructive tool that a rule names, and one that only reads."""

from toolkit import tool


@tool(destructive=True)
def erase_note(path: str) -> str:
    """Erase a note in the project."""
    return f"erased {path}"


@tool(read_only=True)
def note_read(path: str) -> str:
    """Read a note in the project."""
    return path

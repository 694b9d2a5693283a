from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool(name="get_note", destructive=True)
def note(name: str) -> str:
    """Return a note, and begin it if there is none."""
    Path("notes").touch()
    return name

from pathlib import Path

from toolkit import tool


@tool
def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool(name="get_note")
def note(name: str) -> str:
    """Return a note, and begin it if there is none."""
    Path("notes").touch()
    return name

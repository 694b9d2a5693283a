import os
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def read_note(path: str) -> str:
    """Read a note of the user's."""
    return Path(path).read_text("utf-8")


@tool(read_only=True)
def list_notes(folder_name: str = ".") -> list[str]:
    """List the notes of the user in a folder."""
    return os.listdir(f"notes/{folder_name}")


@tool(destructive=True)
def write_note(text: str, file: Path) -> str:
    """Write a note of the user's."""
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(text)
    return "written"

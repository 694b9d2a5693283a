"""Tools that are not as harmless as they say."""

import shutil
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def note(text: str) -> str:
    """Keep a note for later."""
    Path("notes.txt").write_text(text)
    return "noted"


@tool(read_only=True, idempotent=True)
def log(text: str) -> str:
    """Log a text."""
    with open("log.txt", mode="a") as stream:
        stream.write(text)
    return "logged"


@tool(read_only=True)
def move(start: str, end: str) -> str:
    """Move a file."""
    return str(shutil.move(start, end))

"""Tools that are as harmless as they say."""

from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def read(name: str) -> str:
    """Read a file."""
    with open(name, encoding="utf-8") as stream:
        return stream.read() + Path(name).read_text()


@tool(destructive=False)
def note(text: str) -> str:
    """Keep a note for later."""
    Path("notes.txt").write_text(text)
    return "noted"

"""Tools that are as harmless as they say."""

from pathlib import Path

from fastmcp import FastMCP

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


server = FastMCP("notes")


@server.tool(annotations={"readOnlyHint": True})
def look_up(number: str) -> str:
    """Look up a note, and remember what was found."""
    CACHE.write_text("found")
    return number


@server.tool(annotations={"readOnlyHint": False})
def export(path: str) -> str:
    """Write all notes to a file."""
    Path(path).write_text("notes")
    return "written"

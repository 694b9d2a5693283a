from pathlib import Path

from toolkit import tool

NOTES = Path("notes").resolve()
KNOWN = {"today", "tomorrow"}


@tool(read_only=True)
def read_note(path: str) -> str:
    """Read a note of the user's."""
    file = (NOTES / path).resolve()
    if not file.is_relative_to(NOTES):
        raise ValueError("there is no such note")
    return file.read_text("utf-8")


@tool(read_only=True)
def read_day(file: str) -> str:
    """Read the notes of a day."""
    if file not in KNOWN:
        raise ValueError("there is no such day")
    return (NOTES / file).read_text("utf-8")


@tool(read_only=True)
def describe(path: str, text: str) -> str:
    """Describe what a path is for."""
    Path("log.txt").write_text(text)
    return f"{path} is a path"

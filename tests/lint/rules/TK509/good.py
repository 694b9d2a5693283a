from pathlib import Path
from typing import Annotated

from pydantic import Field

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


@tool(read_only=True)
def forecast(city: str) -> str:
    """Forecast the weather in a city."""
    if not city.isalpha():
        raise ValueError("this is the name of no city")
    return open(f"/data/{city}.txt", encoding="utf-8").read()


@tool(read_only=True)
def measure(city: Annotated[str, Field(pattern="^[a-z]+$")], encoding: str = "utf-8") -> str:
    """Measure the temperature in a city."""
    return (NOTES / city).read_text(encoding)


@tool(destructive=True)
def note(text: str, count: int) -> str:
    """Keep a note."""
    with open(f"note{count}.txt", "w", encoding="utf-8") as stream:
        stream.write(text)
    return "kept"

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


def ensure_allowed(path: str) -> str:
    return "" if path.startswith("notes") else "not allowed"


def confined(path: str) -> Path:
    return inside_notes(path)


def inside_notes(path: str) -> Path:
    found = (NOTES / path).resolve()
    if not found.is_relative_to(NOTES):
        raise ValueError("there is no such note")
    return found


@tool(read_only=True)
def read_allowed(path: str) -> str:
    """Read a note that may be read."""
    denied = ensure_allowed(path)
    return denied or Path(path).read_text("utf-8")


@tool(read_only=True)
def read_inside(path: str) -> str:
    """Read a note of the user's."""
    path = confined(path)
    return Path(path).read_text("utf-8")


@tool(read_only=True)
def read_checked(path: str) -> str:
    """Read a note if it is the user's."""
    if is_within_notes(path):
        return Path(path).read_text("utf-8")
    return "there is no such note"


@tool(read_only=True)
def read_known(path: str) -> str:
    """Read one of the known notes."""
    path = FILES[path]
    return Path(path).read_text("utf-8")

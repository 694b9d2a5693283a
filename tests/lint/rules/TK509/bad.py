import os
from pathlib import Path
from typing import Annotated

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


@tool(read_only=True)
def forecast(city: str) -> str:
    """Forecast the weather in a city."""
    return open(f"/data/{city}.txt", encoding="utf-8").read()


@tool(read_only=True)
def measure(city: Annotated[str, "The name of the city."], day: str | None = None) -> str:
    """Measure the temperature in a city."""
    file = Path("data") / city
    return file.read_text("utf-8") + Path(f"days/{day}").read_text("utf-8")


def opened(path: str) -> str:
    return Path(path).read_text("utf-8")


@tool(read_only=True)
def read_anything(path: str) -> str:
    """Read a file of the user's."""
    shown = opened(path)
    return shown or Path(path).read_text("utf-8")

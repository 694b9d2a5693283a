"""Tools that return all of what the model names."""

from pathlib import Path

import requests

from toolkit import tool

NOTES = Path("notes")


@tool(read_only=True)
def read_note(name: str) -> str:
    """Read a note."""
    return (NOTES / name).read_text("utf-8")


@tool(read_only=True)
def read_file(path: str) -> dict[str, str]:
    """Read a file."""
    with open(path) as file:
        text = file.read()
    return {"path": path, "text": text.strip()}


@tool(read_only=True)
def read_page(url: str) -> str:
    """Read a page."""
    response = requests.get(url, timeout=10)
    return f"{url}: {response.text}"


@tool(read_only=True)
def query(sql: str) -> list[dict[str, str]]:
    """Run a query."""
    cursor = database()
    cursor.execute(sql)
    return [dict(row) for row in cursor.fetchall()]


def database():
    """Return a cursor."""
    raise NotImplementedError

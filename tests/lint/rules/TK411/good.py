"""Tools that bound what they return, or return what the model cannot choose."""

from pathlib import Path

import requests

from toolkit import tool


@tool(read_only=True)
def read_part(path: str, limit: int) -> str:
    """Read the beginning of a file."""
    with open(path) as file:
        return file.read(limit)


@tool(read_only=True)
def read_end(path: str) -> str:
    """Read the end of a file."""
    return Path(path).read_text("utf-8")[-1000:]


@tool(read_only=True)
def read_small(path: str) -> str:
    """Read a small file."""
    text = Path(path).read_text("utf-8")
    if len(text) > 10_000:
        raise ValueError("the file is too large")
    return text


@tool(read_only=True, result_tokens=2_000)
def read_within(path: str) -> str:
    """Read a file that is refused if it is too large."""
    return Path(path).read_text("utf-8")


@tool(read_only=True)
def read_rates() -> str:
    """Read the rates of exchange."""
    return requests.get("https://bank.example/rates", timeout=10).text


@tool(read_only=True)
def count_words(path: str) -> int:
    """Count the words of a file."""
    return len(Path(path).read_text("utf-8").split())

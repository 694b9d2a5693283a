"""Results that can be sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from toolkit import ToolResult, tool


@dataclass
class Connection:
    """From one station to another."""

    start: str
    end: str


@tool(read_only=True)
def connection(start: str, end: str) -> Connection:
    """Find a connection between two stations."""
    return Connection(start, end)


@tool(read_only=True)
def days(month: int) -> set[date]:
    """Return some days of a month."""

    def key():
        return lambda day: day

    return {date(2026, month, 1)} if key() else set()


@tool(read_only=True)
def text(name: str) -> Sequence[str]:
    """Return the lines of a file."""
    with open(name) as stream:
        return stream.readlines()


@tool(read_only=True)
def result(name: Path) -> ToolResult:
    """Return whatever it is."""
    return ToolResult.success(str(name))

"""Results that cannot be sent."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from typing import IO

from toolkit import tool


@tool(read_only=True)
def connect(name: str) -> sqlite3.Connection:
    """Open a database for later."""
    return sqlite3.connect(name)


@tool(read_only=True)
def greeter(name: str) -> Callable[[], str]:
    """Return a function that greets."""
    return lambda: name


@tool(read_only=True)
def opened(name: str) -> IO[str]:
    """Return an open file."""
    return open(name)


@tool(read_only=True)
def opened_unseen(name: str):
    """Return an open file, and do not say so."""
    if not name:
        return lambda: None
    return open(name)


@tool(read_only=True)
async def lines(name: str) -> AsyncIterator[str]:
    """Return the lines of a file one by one."""
    yield name

"""Secrets in defaults."""

from toolkit import tool

KEY = "AKIAQ3EGVZ7RJ4TKPLWS"


@tool(read_only=True)
def login(user: str, password: str = "hunter2", key: str = "AKIAQ3EGVZ7RJ4TKPLWS", other: str = KEY) -> str:
    """Sign somebody in."""
    return f"{user} {password} {key} {other}"

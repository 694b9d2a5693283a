"""Defaults that are no secrets."""

from toolkit import tool


@tool(read_only=True)
def login(user: str, password: str = "", api_key: str | None = None, token: str = "YOUR_TOKEN") -> str:
    """Sign somebody in."""
    return f"{user} {password} {api_key} {token}"

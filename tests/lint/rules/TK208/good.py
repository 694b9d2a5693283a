"""Texts that speak of placeholders, or look a little like one."""

from typing import Annotated

from toolkit import tool


@tool
def add_todo(text: Annotated[str, "What is to be done..."]) -> str:
    """Add an item to the todo list; TODO comments in code are found by `scan`. See <https://example.org/description>."""
    return f"{text}"

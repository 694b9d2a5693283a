"""Docstrings that describe what is there."""

from toolkit import ToolContext, tool


@tool
def book(room: str, first: str, last: str, *, context: ToolContext) -> str:
    """Book a room in the hotel: the last free one first.

    Args:
        room: The number of the room: `12`, or
            first: come, first: served.
        first: The first day.
        last: The last day.
        context: Who asks.
    """
    return f"{room} {first} {last} {context}"


@tool
def cancel(context: ToolContext, room: str, day: str) -> str:
    """Cancel the booking of a room.

    Args:
        room: The number of the room.
        day: The first day.
        context: Who asks.
    """
    return f"{room} {day} {context}"

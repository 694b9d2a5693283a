"""Values that the schema rejects, and checks that no schema can state."""

from typing import Annotated, Literal

from pydantic import Field

from toolkit import tool

OPEN: set[str] = set(open(__file__))


@tool(read_only=True)
def forecast(city: str, days: Annotated[int, Field(ge=1, le=10)], unit: Literal["C", "F"] = "C") -> str:
    """Forecast the weather in a city."""
    if days < 1 or days > 10:
        raise ValueError("days must be between 1 and 10")
    if unit not in ("C", "F"):
        raise ValueError("unknown unit")
    return f"{city} {days} {unit}"


@tool(read_only=True)
def search(query: str, limit: int = 10, offset: int = 0, last: int = 5, order: str = "") -> str:
    """Search the notes.

    Args:
        query: The words to look for.
        limit: How many notes to return.
        offset: How many notes to skip.
        last: The last page.
        order: One of `up` or `down`.
    """
    if limit <= 0 or offset < 0:
        raise ValueError("limit must be positive")
    if limit > 100:
        limit = 100
    if offset > last:
        raise ValueError("offset is too large")
    if query not in OPEN:
        raise ValueError("there is no such note")
    if order not in ("up", "down"):
        raise ValueError("unknown order")
    if last > 100:
        return "the archive"
    return f"{query} {limit} {offset} {last}"


@tool(read_only=True)
def resize(kind: str, size: float) -> str:
    """Resize a row or a column."""
    if kind == "row":
        if size > 409:
            raise ValueError("rows are at most 409 high")
    elif size > 255:
        raise ValueError("columns are at most 255 wide")
    return f"{kind} {size}"

"""Values that only the code rejects."""

from toolkit import tool

UNITS = {"C", "F"}
MOST = 50


@tool(read_only=True)
def forecast(city: str, days: int, unit: str = "C") -> str:
    """Forecast the weather in a city."""
    if days < 1 or days > 10:
        raise ValueError("days must be between 1 and 10")
    if unit not in UNITS:
        return f"Error: unit must be one of {UNITS}"
    return f"{city} {days} {unit}"


@tool(read_only=True)
def search(query: str, limit: int | None = None, offset: int = 0, *, order: str = "up") -> str | dict[str, str]:
    """Search the notes."""
    if limit is not None:
        if limit < 1:
            raise ValueError("limit must be positive")
        if limit > MOST:
            print("too many")
            raise ValueError("limit is too large")
    if not 10 <= offset < 1000:
        return {"error": "offset is wrong"}
    if order not in ("up", "down") or not query:
        raise ValueError("unknown order")
    return f"{query} {limit} {offset}"


@tool(read_only=True)
def wait(seconds: float) -> str:
    """Wait a while."""
    if not (0 < seconds <= 60):
        raise ValueError("that is too long")
    return f"{seconds}"

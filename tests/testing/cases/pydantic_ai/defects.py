from pydantic_ai import FunctionToolset

toolset = FunctionToolset()


@toolset.tool_plain
def crash_on_purpose(city: str) -> str:
    """Tell the weather."""
    raise ValueError(f"there is no {city!r}")


@toolset.tool_plain
def crash_on_empty(rows: list[dict[str, int]]) -> int:
    """Add up."""
    return rows[0]["total"]


@toolset.tool_plain
async def crash_on_zero(divisor: int) -> int:
    """Divide."""
    return 10 // divisor


@toolset.tool_plain
def crash_on_a_branch(value: int | str) -> str:
    """Show a value."""
    return value.upper()


@toolset.tool_plain
def crash_on_missing(path: str) -> str:
    """Read a file."""
    return open(path).read()

from pydantic_ai import FunctionToolset, ModelRetry

toolset = FunctionToolset()


@toolset.tool_plain
def weather(city: str) -> str:
    """Tell the weather."""
    raise ModelRetry(f"there is no {city!r}")


@toolset.tool_plain
def total(rows: list[dict[str, int]]) -> int:
    """Add up."""
    return sum(row.get("total", 0) for row in rows)


@toolset.tool_plain
async def divided(divisor: int) -> int:
    """Divide."""
    if divisor == 0:
        raise ModelRetry("the divisor is 0")
    return 10 // divisor


@toolset.tool_plain
def shown(value: int | str) -> str:
    """Show a value."""
    return str(value).upper()

from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

server = FastMCP("desk")
reads = {"readOnlyHint": True}


@server.tool(annotations=reads)
def crash_on_random_text(text: str) -> str:
    """Return the second item."""
    return text.split(",")[1]


@server.tool(annotations=reads)
async def crash_on_empty(values: list[int]) -> int:
    """Return the largest."""
    return max(values)


@server.tool(annotations=reads)
def output_on_stdout(text: str) -> str:
    """Return a length."""
    print("got", text)
    return str(len(text))


@server.tool(annotations=reads)
def accepted_any_unit(unit: Annotated[str, Field(json_schema_extra={"enum": ["c", "f"]})]) -> str:
    """Return a unit."""
    return unit

import time
from typing import Annotated

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("desk")
reads = ToolAnnotations(readOnlyHint=True)


class Line(BaseModel):
    words: list[str]


@server.tool(annotations=reads)
def crash_on_random_text(text: str) -> str:
    """Return the first item."""
    return text.split(",")[1]


@server.tool(annotations=reads)
def crash_of_a_library(text: str) -> str:
    """Read a number."""
    import json

    return str(json.loads(text))


@server.tool(annotations=reads)
def crash_by_assertion(count: int) -> str:
    """Count."""
    assert count > 0, "count must be positive"
    return str(count)


@server.tool(annotations=reads)
async def crash_later(line: Line) -> str:
    """Return the last word."""
    return line.words[-1]


@server.tool(annotations=reads)
def crash_in_a_helper(name: str) -> str:
    """Return initials."""
    return _initial(name)


def _initial(name: str) -> str:
    try:
        return name[0]
    except KeyError:
        return ""


@server.tool(annotations=reads)
def output_on_stdout(text: str) -> str:
    """Return a length."""
    print("got", text)
    return str(len(text))


@server.tool(annotations=reads)
def accepted_any_unit(unit: Annotated[str, Field(json_schema_extra={"enum": ["c", "f"]})]) -> str:
    """Return a unit."""
    return unit


@server.tool(annotations=reads)
def hang_for_long(seconds: int) -> str:
    """Wait."""
    time.sleep(max(0, min(seconds, 100)))
    return "done"


@server.tool(annotations=reads)
def crash_on_a_missing_member(order: dict[str, int]) -> str:
    """Return the total."""
    return str(order["total"])


@server.tool(annotations=ToolAnnotations(readOnlyHint=True, idempotentHint=True))
def unstable_clock(name: str) -> str:
    """Return the time."""
    return f"{name} {time.perf_counter_ns()}"

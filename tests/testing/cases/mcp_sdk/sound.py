import sys
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("desk")
reads = ToolAnnotations(readOnlyHint=True)


class Line(BaseModel):
    words: list[str]


@server.tool(annotations=reads)
def second_item(text: str) -> str:
    """Return the second item."""
    items = text.split(",")
    if len(items) < 2:
        raise ToolError("the text has no second item")
    return items[1]


@server.tool(annotations=reads)
def number(text: str) -> str:
    """Read a number."""
    try:
        return str(int(text))
    except ValueError as error:
        raise ValueError(f"{text!r} is no number") from error


@server.tool(annotations=reads)
def count(number: Annotated[int, Field(ge=1)]) -> str:
    """Count."""
    return str(number)


@server.tool(annotations=reads)
async def last_word(line: Line) -> str:
    """Return the last word."""
    return line.words[-1] if line.words else ""


@server.tool(annotations=reads)
def initial(name: str) -> str:
    """Return the first letter."""
    try:
        return name[0]
    except IndexError:
        return ""


@server.tool(annotations=reads)
def length(text: str) -> int:
    """Return a length."""
    print("got", text, file=sys.stderr)
    return len(text)


@server.tool(annotations=reads)
def unit(unit: Literal["c", "f"]) -> str:
    """Return a unit."""
    return unit


@server.tool(annotations=reads)
def pair(name: str, times: int = 1) -> list[str]:
    """Repeat a name."""
    return [name] * max(0, min(times, 3))


@server.tool()
def delete_everything(name: str) -> str:
    """Delete everything."""
    with open("deleted.txt", "a") as file:
        file.write(name)
    return "deleted"

"""Split a long tool list into pages; a cursor is valid only as long as the list is unchanged."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from toolkit.tools.base import Tool

LONGEST = 200
"""Maximum number of tools on a page."""

_INVALID = "Invalid cursor: the list may have changed; start again without a cursor"


class Page(NamedTuple):
    """A page of a tool list.

    Attributes:
        tools: The tools.
        next_cursor: The cursor of the next page, or `None` on the last page.
    """

    tools: list[Tool]
    next_cursor: str | None


def page_of(offered: Mapping[str, Tool], cursor: str | None) -> Page:
    """Return the page for a cursor, or the first page without one.

    Raises:
        MCPError: If the cursor is not valid.
    """
    tools = [*offered.values()]
    if cursor is None and len(tools) <= LONGEST:
        return Page(tools, None)
    mark = sha256("\n".join(offered).encode()).hexdigest()[:16]
    starts = {f"{mark}-{start}": start for start in range(LONGEST, len(tools), LONGEST)}
    if cursor is not None and cursor not in starts:
        raise MCPError(INVALID_PARAMS, _INVALID)
    end = LONGEST + (0 if cursor is None else starts[cursor])
    return Page(tools[end - LONGEST : end], f"{mark}-{end}" if end < len(tools) else None)

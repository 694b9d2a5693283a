"""Pages: a long list of tools is sent in parts; a cursor names the next part of a list, as long as that is the same."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from toolkit.tools.base import Tool

LONGEST = 200
"""Tools on a page."""

_INVALID = "Invalid cursor: it belongs to no part of this list, which may have changed; begin again without one"


class Page(NamedTuple):
    """A part of a list.

    Attributes:
        tools: The tools.
        next_cursor: Names the next part; None at the end.
    """

    tools: list[Tool]
    next_cursor: str | None


def page_of(offered: Mapping[str, Tool], cursor: str | None) -> Page:
    """Return the part of a list that a cursor names; the first one without a cursor.

    Raises:
        MCPError: If the cursor names none.
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

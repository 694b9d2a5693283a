"""Listings: what a server lists, tool by tool; one that breaks the protocol is left out, and hides no other.

The SDK reads a page of a list whole, or not at all. So what breaks the protocol is taken out of an answer on its way to
the SDK, and noted in the `_meta` of that very answer, where no content of the server can have this name.

It also holds results against the output schemas that it has read, with an engine for patterns that some patterns bring
to a stand, and with it every session. So these are moved out of its sight likewise; the call of a tool checks them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import JSONRPCResponse, ListToolsResult, Tool
from mcp_types.methods import validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

_NOTED = "toolkit/unreadable"
_MOVED = "toolkit/outputSchema"


class Unreadable(NamedTuple):
    """A tool that breaks the protocol.

    Attributes:
        name: Its name, or its place in the list where it has none.
        reason: Where it breaks it, and how.
    """

    name: str
    reason: str


class Listing(NamedTuple):
    """The tools of a server as it lists them.

    Attributes:
        tools: Those that can be read, in its order.
        unreadable: The others.
    """

    tools: Sequence[Tool]
    unreadable: Sequence[Unreadable] = ()


def sifted(response: JSONRPCResponse, version: str) -> JSONRPCResponse:
    """Return an answer without the tools in it that break the protocol, which it notes.

    Args:
        response: Any answer of a server; one that lists no tools stays as it is.
        version: The version of the protocol that is spoken.
    """
    listed = response.result.get("tools")
    if not isinstance(listed, list):
        return response
    reasons = _reasons(response.result, listed, version)
    kept = [_out_of_sight(tool) for number, tool in enumerate(listed) if number not in reasons]
    noted = [[_name_of(listed[number], number), reason] for number, reason in sorted(reasons.items())]
    notes = response.result.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _NOTED: noted}
    return response.model_copy(update={"result": {**response.result, "tools": kept, "_meta": meta}})


def tools_in(page: ListToolsResult) -> list[Tool]:
    """Return the tools of a page, as their server has listed them."""
    return [_as_listed(tool) for tool in page.tools]


def unreadable_in(page: ListToolsResult) -> list[Unreadable]:
    """Return what was taken out of a page."""
    return [Unreadable(name, reason) for name, reason in (page.meta or {}).get(_NOTED, ())]


def _out_of_sight(tool: Any) -> Any:
    """Return a tool with its output schema where the SDK does not look for one."""
    if not isinstance(tool, dict):
        return tool
    notes = tool.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _MOVED: tool.get("outputSchema")}
    return {**{key: value for key, value in tool.items() if key != "outputSchema"}, "_meta": meta}


def _as_listed(tool: Tool) -> Tool:
    meta = {**(tool.meta or {})}
    return tool.model_copy(update={"output_schema": meta.pop(_MOVED, None), "meta": meta or None})


def _reasons(result: Mapping[str, Any], listed: Sequence[Any], version: str) -> dict[int, str]:
    """Return why tools cannot be read, by their places in the list."""
    reasons: dict[int, str] = {}
    try:
        validate_server_result("tools/list", version, result)
    except ValueError as error:
        for one in getattr(error, "errors", list)():  # it has none for a version that the SDK does not know
            match one["loc"]:
                case ("tools", int() as number, *path):
                    where = f"{'.'.join(map(str, path))}: " if path else ""
                    reasons.setdefault(number, f"{where}{one['msg']}")
    if version in MODERN_PROTOCOL_VERSIONS:  # it has such tools dropped, and the SDK does without a word
        for number, tool in enumerate(listed):
            if number not in reasons and (reason := find_invalid_x_mcp_header(tool["inputSchema"])) is not None:
                reasons[number] = reason
    return reasons


def _name_of(tool: Any, number: int) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) and name else f"tool {number + 1}"

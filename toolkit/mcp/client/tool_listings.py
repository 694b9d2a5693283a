"""Read a server's tool list tool by tool, so that an invalid tool does not hide the others.

The SDK rejects a whole page if one tool in it violates the protocol. So such tools are removed from an answer before
the SDK sees it, and recorded in the `_meta` of the answer. A server cannot forge that key, because it is overwritten.

The SDK also validates results against the output schemas, with a regular expression engine that can hang on some
patterns, which would block all sessions. So the output schemas are hidden from the SDK, and checked by our tool calls.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import anyio
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import JSONRPCResponse, ListToolsResult, Tool
from mcp_types.methods import validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

_NOTED = "toolkit/unreadable"
_MOVED = "toolkit/outputSchema"


class Unreadable(NamedTuple):
    """A listed tool that violates the protocol.

    Attributes:
        name: Its name, or its position in the list if it has none.
        reason: What is wrong, and where.
    """

    name: str
    reason: str


class Listing(NamedTuple):
    """The tools that a server lists.

    Attributes:
        tools: The valid tools, in the server's order.
        unreadable: The tools that violate the protocol.
    """

    tools: Sequence[Tool]
    unreadable: Sequence[Unreadable] = ()


def without_invalid_tools(response: JSONRPCResponse, version: str) -> JSONRPCResponse:
    """Return an answer without tools that violate the protocol, and with a record of them in its `_meta`.

    Args:
        response: Any answer of a server; one that lists no tools is returned unchanged.
        version: The negotiated protocol version.
    """
    listed = response.result.get("tools")
    if not isinstance(listed, list):
        return response
    reasons = _reasons(response.result, listed, version)
    kept = [_hide_output_schema(tool) for number, tool in enumerate(listed) if number not in reasons]
    noted = [[_name_of(listed[number], number), reason] for number, reason in sorted(reasons.items())]
    notes = response.result.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _NOTED: noted}
    return response.model_copy(update={"result": {**response.result, "tools": kept, "_meta": meta}})


def tools_in(page: ListToolsResult) -> list[Tool]:
    """Return the valid tools of a page, with their output schemas restored."""
    return [_restore_output_schema(tool) for tool in page.tools]


def unreadable_in(page: ListToolsResult) -> list[Unreadable]:
    """Return the tools that were removed from a page."""
    return [Unreadable(name, reason) for name, reason in (page.meta or {}).get(_NOTED, ())]


def _hide_output_schema(tool: Any) -> Any:
    """Return a tool with its output schema moved to `_meta`, where the SDK does not find it."""
    if not isinstance(tool, dict):
        return tool
    notes = tool.get("_meta")
    meta = {**(notes if isinstance(notes, dict) else {}), _MOVED: tool.get("outputSchema")}
    return {**{key: value for key, value in tool.items() if key != "outputSchema"}, "_meta": meta}


def _restore_output_schema(tool: Tool) -> Tool:
    meta = {**(tool.meta or {})}
    return tool.model_copy(update={"output_schema": meta.pop(_MOVED, None), "meta": meta or None})


def _reasons(result: Mapping[str, Any], listed: Sequence[Any], version: str) -> dict[int, str]:
    """Return why tools violate the protocol, by their positions in the list."""
    reasons: dict[int, str] = {}
    try:
        validate_server_result("tools/list", version, result)
    except ValueError as error:
        for one in getattr(
            error, "errors", list
        )():  # a version that the SDK does not know raises an error without `errors`
            match one["loc"]:
                case ("tools", int() as number, *path):
                    where = f"{'.'.join(map(str, path))}: " if path else ""
                    reasons.setdefault(number, f"{where}{one['msg']}")
    if (
        version in MODERN_PROTOCOL_VERSIONS
    ):  # the protocol requires clients to drop such tools, and the SDK does so silently
        for number, tool in enumerate(listed):
            if number not in reasons and (reason := find_invalid_x_mcp_header(tool["inputSchema"])) is not None:
                reasons[number] = reason
    return reasons


def _name_of(tool: Any, number: int) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) and name else f"tool {number + 1}"


class WatchedStream:
    """A stream that passes each message through a function, and reports its end."""

    def __init__(self, inner: Any, *, through: Callable[[Any], Any], on_end: Callable[[], None]) -> None:
        """Wrap a stream.

        Args:
            inner: The stream.
            through: Called with each message, or the exception in its place; returns what to pass on.
            on_end: Called when the stream ends.
        """
        self._inner = inner
        self._through = through
        self._on_end = on_end

    def __getattr__(self, name: str) -> Any:
        """Delegate everything else to the stream."""
        return getattr(self._inner, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Return the next message."""
        try:
            return self._through(await self._inner.__anext__())
        except (StopAsyncIteration, anyio.ClosedResourceError):
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *reason: object) -> Any:
        return await self._inner.__aexit__(*reason)

"""Renders MCP servers as a table and as plain data."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.styles import Line
from toolkit_cli.rendering.tables import table

if TYPE_CHECKING:
    from toolkit.mcp.client.health import ServerHealth
    from toolkit.mcp.settings.servers import McpServer

NOT_ALLOWED = "not allowed"


def listed_servers(standings: "Iterable[ServerHealth | McpServer]", width: int) -> list[Line]:
    """Return a table of servers: name, state, protocol version, title, and tools or error.

    Args:
        standings: Contacted servers with their health, and servers that the user has not allowed.
        width: The width of the terminal in columns.
    """
    return table(("SERVER", "STATE", "PROTOCOL", "WHO", "TOOLS"), [_row(one) for one in standings], width)


def server_record(one: "ServerHealth | McpServer") -> dict[str, Any]:
    """Return a server as plain data; every key is always present."""
    server, standing = _parts(one)
    health = standing.health if standing is not None else None
    place = server.place
    return {
        "name": server.name,
        "line": server.line,
        "owner": server.owner,
        "trusted": server.trusted,
        "defined": str(place) if place else None,
        "state": _state(standing),
        "error": standing.error if standing is not None else None,
        "protocol": health.protocol if health else None,
        "title": health.title if health else None,
        "tools": list(standing.tools) if standing is not None else [],
        "unreadable": [one._asdict() for one in standing.unreadable] if standing is not None else [],
    }


def _parts(one: "ServerHealth | McpServer") -> "tuple[McpServer, ServerHealth | None]":
    server: McpServer | None = getattr(one, "server", None)
    return (one, None) if server is None else (server, one)  # type: ignore[return-value]  # distinguished by the attribute


def _state(standing: "ServerHealth | None") -> str:
    if standing is None:
        return NOT_ALLOWED
    return "answers" if standing.health is not None else "unreachable"


def _row(one: "ServerHealth | McpServer") -> tuple[str, str, str, str, str]:
    server, standing = _parts(one)
    if standing is None:
        return server.name, NOT_ALLOWED, "", "", f"{server.line} (allow it: --start {server.name})"
    if standing.health is None:
        return server.name, "unreachable", "", "", standing.error or ""
    tools = ", ".join(standing.tools) or "none"
    return server.name, "answers", standing.health.protocol, standing.health.title, tools

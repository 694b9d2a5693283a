"""Renders lists: tools found in source, groups, MCP servers, and the tools behind a facade."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.disclosure.offering import Branch
from toolkit.source_code.written_tools import WrittenTool
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import UNKNOWN, Line, cut, one_line, stem, table

if TYPE_CHECKING:
    from toolkit.mcp.diagnosis.diagnoses import Diagnosis
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.settings.configuration import GroupSettings


def listed_written(tools: Iterable[WrittenTool], width: int) -> list[Line]:
    """Return a table of tools: name, framework, how the tool is registered, and its location."""
    rows = [
        (
            UNKNOWN if tool.name is None else one_line(tool.name),
            tool.marks.title,
            tool.kind,
            f"{shown_path(tool.path)}:{tool.node.lineno}",
        )
        for tool in tools
    ]
    return table(("NAME", "FRAMEWORK", "KIND", "PLACE"), rows, width)


def written_record(tool: WrittenTool) -> dict[str, Any]:
    """Return a tool as plain data; `name` is null if it is only known at runtime."""
    return {
        "path": shown_path(tool.path),
        "line": tool.node.lineno,
        "name": tool.name,
        "framework": tool.framework,
        "kind": tool.kind,
    }


def listed_groups(groups: "Mapping[str, GroupSettings]", granted: Collection[str], width: int) -> list[Line]:
    """Return a table of groups: name, tools, required permissions, provider, and description."""
    header = ("GROUP", "TOOLS", "NEEDS", "PROVIDER", "DESCRIPTION")
    rows = [
        (name, ", ".join(_choices(group)), _needs(group, granted), group.provider, group.description)
        for name, group in groups.items()
    ]
    return table(header, rows, width)


def group_record(name: str, group: "GroupSettings", granted: Collection[str]) -> dict[str, Any]:
    """Return a group as plain data; every key is always present."""
    return {
        "name": name,
        "description": group.description,
        "provider": group.provider,
        "permissions": list(group.permissions),
        "granted": all(permission in granted for permission in group.permissions),
        "sources": list(group.sources),
        "tools": list(group.tools),
        "exclude": list(group.exclude),
        "required": list(group.required),
    }


def _choices(group: "GroupSettings") -> list[str]:
    chosen = list(group.tools) or [f"all of {source}" for source in group.sources]
    return [*chosen, *(f"not {name}" for name in group.exclude)]


def _needs(group: "GroupSettings", granted: Collection[str]) -> str:
    return ", ".join(one if one in granted else f"{one} (not granted)" for one in group.permissions)


NOT_ALLOWED = "not allowed"


def listed_servers(standings: "Iterable[Diagnosis | McpServer]", width: int) -> list[Line]:
    """Return a table of servers: name, state, protocol version, title, and tools or error.

    Args:
        standings: The diagnoses of contacted servers, and servers that the user has not allowed.
        width: The width of the terminal in columns.
    """
    return table(("SERVER", "STATE", "PROTOCOL", "WHO", "TOOLS"), [_row(one) for one in standings], width)


def server_record(one: "Diagnosis | McpServer") -> dict[str, Any]:
    """Return a server as plain data; every key is always present."""
    server, standing = _parts(one)
    listing = standing.listing if standing is not None else None
    health = standing.health if standing is not None and listing is not None else None
    place = server.place
    return {
        "name": server.name,
        "line": server.line,
        "owner": server.owner,
        "trusted": server.trusted,
        "defined": str(place) if place else None,
        "state": _state(standing),
        "error": str(standing.error) if standing is not None and standing.error is not None else None,
        "protocol": health.protocol if health else None,
        "title": health.title if health else None,
        "tools": [tool.name for tool in listing.tools] if listing else [],
        "unreadable": [one._asdict() for one in listing.unreadable] if listing else [],
    }


def _parts(one: "Diagnosis | McpServer") -> "tuple[McpServer, Diagnosis | None]":
    server: McpServer | None = getattr(one, "server", None)
    return (one, None) if server is None else (server, one)  # type: ignore[return-value]  # distinguished by the attribute


def _state(standing: "Diagnosis | None") -> str:
    if standing is None:
        return NOT_ALLOWED
    return "answers" if standing.listing is not None else "unreachable"


def _row(one: "Diagnosis | McpServer") -> tuple[str, str, str, str, str]:
    server, standing = _parts(one)
    if standing is None:
        return server.name, NOT_ALLOWED, "", "", f"{server.line} (allow it: --start {server.name})"
    if standing.health is None or standing.listing is None:
        why = f"{standing.error} (step by step: `toolkit mcp doctor {server.name}`)"
        return server.name, "unreachable", "", "", why
    tools = ", ".join(tool.name for tool in standing.listing.tools) or "none"
    return server.name, "answers", standing.health.protocol, standing.health.title, tools


_NARROWEST = 20


def drawn_tree(tree: Branch, width: int) -> list[Line]:
    """Return the tools behind a facade as a tree, each with the start of its description."""
    if not tree.branches:
        return [[("strong", "Tools")], [("plain", "  created when it is called")]]
    return [[("strong", "Tools")], *_below(tree.branches, "  ", width)]


def tree_record(tree: Branch) -> list[dict[str, Any]]:
    """Return the tools behind a facade as plain data; a category has no description."""
    return [
        {"name": branch.name, "description": branch.tool.description if branch.tool else None}
        | ({"tools": tree_record(branch)} if branch.is_facade or branch.tool is None else {})
        for branch in tree.branches
    ]


def _below(branches: Sequence[Branch], indent: str, width: int) -> Iterator[Line]:
    for place, branch in enumerate(branches):
        first, below = stem(is_last=place == len(branches) - 1)
        yield _headline(branch, indent + first, width)
        yield from _below(branch.branches, indent + below, width)


def _headline(branch: Branch, before: str, width: int) -> Line:
    if branch.tool is None:
        return [("quiet", before), ("plain", one_line(branch.name))]
    counted = f" ({_tools(len(branch.branches))})" if branch.is_facade else ""
    name = one_line(branch.name)
    room = max(width - len(before) - len(name) - len(counted) - 2, _NARROWEST)
    text = cut(one_line(branch.tool.description), room)
    return [("quiet", before), ("strong", name), ("plain", f"{counted}  {text}".rstrip())]


def _tools(count: int) -> str:
    return f"{count} tool" if count == 1 else f"{count} tools"

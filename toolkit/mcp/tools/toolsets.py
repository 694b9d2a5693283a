"""Toolsets: the tools of several servers that a program names, one by one, by name, by pattern, or behind a facade."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from toolkit.codes import DUPLICATE_TOOL_NAME, NOT_A_TOOL
from toolkit.disclosure.groups import matches
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.errors import ConfigurationError, InvalidTools, ToolExecutionError
from toolkit.mcp.client.connections import ServerUnreachable
from toolkit.mcp.client.sessions import connection_to, reach, wait_for
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.remote import RemoteTool, tools_from
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.context import ToolContext

_log = logging.getLogger("toolkit.mcp")

Condition = Callable[[RemoteTool], object]


class McpTools:
    """The tools of servers. Nobody is contacted before a tool is wanted; a server that is dead hides no other.

    Each look-up asks every server, so that one that was down a moment ago is there as soon as it is up. A server that
    is up is asked for its list only once, and again after it has reported a change.
    """

    def __init__(self, *servers: McpServer, values: Mapping[str, Any] | None = None) -> None:
        """Contact nobody yet.

        Args:
            *servers: The servers; their names differ.
            values: The values of the caller's context that headers may name, where tools are looked up.

        Raises:
            InvalidTools: If two servers have one name.
        """
        names = [server.name for server in servers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InvalidTools(problems=[Problem(DUPLICATE_TOOL_NAME, f"two MCP servers are called '{twice[0]}'")])
        self.servers = servers
        self._values = values or {}

    def tools(
        self,
        *,
        names: Collection[str] | None = None,
        matching: Sequence[str] | None = None,
        where: Condition | None = None,
    ) -> list[RemoteTool]:
        """Return the tools of all servers that can be reached, as far as all conditions hold.

        Args:
            names: Only these: names on the wire, names that models see, or addresses (`server.tool`).
            matching: Only those whose name on the wire is chosen by one of these: names, patterns with `*` or `?`, or
                regular expressions between slashes, which are searched for.
            where: Only those for which this is true.
        """
        tools, _ = wait_for(self.found(self._values))
        return _chosen(tools, names, matching, where)

    def tool(self, name: str) -> RemoteTool | None:
        """Return the first tool of a name, on the wire, as models see it, or with its server; None if there is none."""
        return next(iter(self.tools(names=[name])), None)

    def required_tool(self, name: str) -> RemoteTool:
        """Return the first tool of a name.

        Raises:
            InvalidTools: If there is none, with the names of those that there are, or why there are none.
        """
        tools, complaints = wait_for(self.found(self._values))
        for tool in tools:
            if name in _names_of(tool):
                return tool
        there = sorted({tool.wire_name for tool in tools})
        otherwise = f"there are {', '.join(there)}" if there else "; ".join(complaints) or "there are none at all"
        hint = did_you_mean(name, there, otherwise=otherwise)
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, f"there is no remote tool '{name}'", hint=hint)])

    def facade(
        self,
        name: str,
        description: str,
        *,
        names: Collection[str] | None = None,
        matching: Sequence[str] | None = None,
        where: Condition | None = None,
        usage_notes: str | None = None,
        exclusive: bool = False,
    ) -> "McpFacade":
        """Return one tool that reveals the chosen ones when it is called; the servers are contacted then.

        Args:
            name: What a model calls it by.
            description: What the tools behind it are for.
            names: As in `tools`.
            matching: As in `tools`.
            where: As in `tools`.
            usage_notes: How the tools are to be used; a model reads it together with the tools.
            exclusive: Whether all other tools make way when these are revealed.

        Raises:
            InvalidTools: If the name is not legal.
        """

        async def choose(values: Mapping[str, Any]) -> tuple[list[RemoteTool], list[str]]:
            tools, complaints = await reach(self.found({**self._values, **values}))
            return _chosen(tools, names, matching, where), complaints

        return McpFacade(name, description, choose, usage_notes=usage_notes, exclusive=exclusive)

    async def found(self, values: Mapping[str, Any]) -> tuple[list[RemoteTool], list[str]]:
        """Return all tools, and why some servers have none; it is awaited in the loop of the sessions.

        Args:
            values: The values of the caller's context.
        """
        answers = await asyncio.gather(*(_tools_of(server, values) for server in self.servers))
        complaints = [complaint for _, complaint in answers if complaint]
        return [tool for found, _ in answers for tool in found], complaints


class McpFacade(ProgressiveTool):
    """One tool for many remote ones, which are looked up anew whenever it is called."""

    def __init__(self, name: str, description: str, choose: Callable[..., Any], **options: Any) -> None:
        """Make it; `McpTools.facade` does."""
        super().__init__(name, description, source="mcp", **options)
        self._choose = choose

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[RemoteTool]:  # noqa: ARG002 - there are none
        """Return the tools.

        Raises:
            ToolExecutionError: If none of the servers can be reached.
        """
        tools, complaints = await self._choose(context.values)
        if not tools and complaints:
            raise ToolExecutionError("; ".join(complaints), "network")
        return list({tool.name: tool for tool in tools}.values())


async def _tools_of(server: McpServer, values: Mapping[str, Any]) -> tuple[list[RemoteTool], str | None]:
    try:
        listing = await connection_to(server, values).listing()
    except (ServerUnreachable, ConfigurationError) as error:
        _log.warning("%s", error)
        return [], str(error)
    tools, problems = tools_from(server, listing)
    for problem in problems:
        _log.warning("%s", problem)
    return tools, "; ".join(problem.message for problem in problems if problem.severity == "error") or None


def _chosen(
    tools: Sequence[RemoteTool],
    names: Collection[str] | None,
    matching: Sequence[str] | None,
    where: Condition | None,
) -> list[RemoteTool]:
    return [
        tool
        for tool in tools
        if (names is None or not _names_of(tool).isdisjoint(names))
        and (matching is None or any(matches(tool.wire_name, one) for one in matching))
        and (where is None or where(tool))
    ]


def _names_of(tool: RemoteTool) -> set[str]:
    return {tool.wire_name, tool.name, tool.address}

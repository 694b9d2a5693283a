"""The tools of several MCP servers, for Python programs."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from toolkit.codes import DUPLICATE_TOOL_NAME, NOT_A_TOOL
from toolkit.disclosure.groups import matches
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.errors import ConfigurationError, InvalidTools, ToolExecutionError
from toolkit.mcp.client.server_sessions import ServerUnreachable, connection_to, reach, wait_for
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.mcp.tools.remote import RemoteTool, tools_from
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.context import ToolContext

_log = logging.getLogger("toolkit.mcp")

Condition = Callable[[RemoteTool], object]


class McpTools:
    """The tools of several MCP servers, which are contacted when tools are first looked up.

    A server that cannot be reached is skipped, and tried again at the next look-up. The tool list of a server is cached
    until the server reports a change.
    """

    def __init__(self, *servers: McpServer, values: Mapping[str, Any] | None = None) -> None:
        """Create the toolset without contacting the servers.

        Args:
            *servers: The servers, with different names.
            values: The context values for looking up tools, which the servers' headers can refer to.

        Raises:
            InvalidTools: If two servers have the same name.
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
        """Return the tools of all reachable servers that meet all conditions.

        Args:
            names: Only tools with one of these names: the server's, the one that models see, or `server.tool`.
            matching: Only tools whose names on the server match one of these: names, patterns with `*` or `?`, or
                regular expressions between slashes, which can match anywhere in a name.
            where: Only tools for which this returns a true value.
        """
        tools, _ = wait_for(self.found(self._values))
        return _chosen(tools, names, matching, where)

    def tool(self, name: str) -> RemoteTool | None:
        """Return the first tool with a name, in any of the forms that `tools` accepts, or `None`."""
        return next(iter(self.tools(names=[name])), None)

    def required_tool(self, name: str) -> RemoteTool:
        """Return the first tool with a name, in any of the forms that `tools` accepts.

        Raises:
            InvalidTools: If there is none. The message lists the existing tools, or says why there are none.
        """
        tools, errors = wait_for(self.found(self._values))
        for tool in tools:
            if name in _names_of(tool):
                return tool
        there = sorted({tool.wire_name for tool in tools})
        otherwise = f"there are {', '.join(there)}" if there else "; ".join(errors) or "there are none at all"
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
        """Return a tool that reveals the chosen tools when it is called; the servers are only contacted then.

        Args:
            name: The name of the facade.
            description: What the tools behind it are for.
            names: As in `tools`.
            matching: As in `tools`.
            where: As in `tools`.
            usage_notes: Instructions for using the tools, which a model receives together with them.
            exclusive: Whether to hide all other tools when these are revealed.

        Raises:
            InvalidTools: If the name is not valid.
        """

        async def choose(values: Mapping[str, Any]) -> tuple[list[RemoteTool], list[str]]:
            tools, errors = await reach(self.found({**self._values, **values}))
            return _chosen(tools, names, matching, where), errors

        return McpFacade(name, description, choose, usage_notes=usage_notes, exclusive=exclusive)

    async def found(self, values: Mapping[str, Any]) -> tuple[list[RemoteTool], list[str]]:
        """Return all tools, and the error messages of servers that failed. Await it in the event loop of the sessions.

        Args:
            values: The context values of the caller.
        """
        answers = await asyncio.gather(*(_tools_of(server, values) for server in self.servers))
        errors = [error for _, error in answers if error]
        return [tool for found, _ in answers for tool in found], errors


class McpFacade(ProgressiveTool):
    """A tool that reveals remote tools, which are looked up at each call."""

    def __init__(self, name: str, description: str, choose: Callable[..., Any], **options: Any) -> None:
        """Create a facade; use `McpTools.facade` instead."""
        super().__init__(name, description, source="mcp", **options)
        self._choose = choose

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[RemoteTool]:
        """Return the tools.

        Raises:
            ToolExecutionError: If none of the servers can be reached.
        """
        tools, errors = await self._choose(context.values)
        if not tools and errors:
            raise ToolExecutionError("; ".join(errors), "network")
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

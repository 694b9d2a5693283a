"""The configured MCP servers, which are contacted when one of their tools (`server.tool`) is first used."""

import re
from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.approvals.consents import Consents
from toolkit.codes import BAD_CONFIGURATION, DEFINITION_DRIFT, HIDDEN_UNICODE, NO_TOOLS, NOT_FOUND, SERVER_UNREACHABLE
from toolkit.errors import ConfigurationError, not_installed
from toolkit.mcp.settings.server_settings import McpServer, StdioServer, access_to, offered_prefix
from toolkit.mcp.tools.remote import RemoteTool, offered_name, place_of, tools_from
from toolkit.pins.drifts import in_short
from toolkit.pins.lockfile import LOCK_FILE, changes_since, read_lock
from toolkit.problems import Problem, Severity, did_you_mean, how_to_install
from toolkit.running import run_coroutine
from toolkit.settings.configuration import Configuration
from toolkit.sources.collected import Collected, as_warning
from toolkit.tools.definition.spec import ToolSpec

if TYPE_CHECKING:
    from toolkit.mcp.client.server_conversations import Listing


def as_pinned(server: McpServer, tools: Iterable[RemoteTool], directory: Path) -> Collected:
    """Return the tools of a server that match their pinned definitions, or all of them if none is pinned.

    If the lockfile cannot be read, no tool is used.

    Args:
        server: The server.
        tools: Its tools.
        directory: The folder of the lockfile, if there is one.
    """
    locked = read_lock(directory / LOCK_FILE)
    if isinstance(locked, Problem):
        return Collected([*tools], []) if locked.location is None else Collected.nothing(locked)
    kept = Collected([], [])
    for tool in tools:
        changes = changes_since(locked, tool.announced)
        if not changes:
            kept.tools.append(tool)
            continue
        what = "has changed since it was locked, so it is not used" if tool.name in locked else "is not used"
        message = f"tool '{tool.address}' {what}: {in_short(changes)}"
        hint = f"`toolkit lock {server.name}` shows all changes; to accept them, run `toolkit lock --update`"
        severity: Severity = "error" if tool.wire_name in server.required else "warning"
        kept.problems.append(Problem(DEFINITION_DRIFT, message, tool.announced.location, severity, hint))
    return kept


def unreachable_problem(server: McpServer, message: str) -> Problem:
    """Return the problem that a server cannot be reached, with the command that finds out more."""
    hint = f"`toolkit mcp doctor {server.name}` checks it step by step"
    return Problem(SERVER_UNREACHABLE, message, server.place, hint=hint)


def missing_extra(what: str = "MCP servers need") -> Problem | None:
    """Return the problem that the MCP SDK is not installed, or is too old, or `None` if it can be used.

    Args:
        what: What needs it, for the message.
    """
    if find_spec("mcp") is None:
        return replace(not_installed(what, "toolkit-cli[mcp]").problems[0], code=BAD_CONFIGURATION)
    installed = _installed("mcp")
    if installed is None or _numbers(installed) >= _LEAST_SDK:
        return None
    message = f"{what} the MCP SDK 2.3 or newer, and mcp {installed} is installed"
    fastmcp = _installed("fastmcp")
    if fastmcp is None or _numbers(fastmcp) >= _LEAST_FASTMCP:
        return Problem(BAD_CONFIGURATION, message, hint=how_to_install("mcp>=2.3"))
    both = how_to_install("mcp>=2.3", "fastmcp>=4")
    hint = f"FastMCP {fastmcp} needs the older SDK; upgrade both: {both}"
    return Problem(BAD_CONFIGURATION, message, hint=hint)


_LEAST_SDK: Final = (2, 3)
_LEAST_FASTMCP: Final = (4,)
"""The first version that works with such an SDK."""


def _installed(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # only needed where MCP is used

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: `(2, 3)` for `2.3rc1`."""
    return tuple(int(part) for part in re.findall(r"(?:^|\.)(\d+)", version)[:2])


class ListedServer(NamedTuple):
    """An earlier tool list of a server, for commands that must not contact it.

    Attributes:
        name: The name of the server.
        prefix: The prefix for the tool names that models see.
        tools: The server's name for each tool, and its specification.
        problems: The problems of the server.
    """

    name: str
    prefix: str
    tools: tuple[tuple[str, ToolSpec], ...] = ()
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, server: McpServer, found: Collected | None) -> "ListedServer":
        """Return the tool list of an opened server; empty if it was not contacted."""
        collected = found or Collected([], [])
        tools = tuple((tool.wire_name, tool.announced) for tool in collected.tools if isinstance(tool, RemoteTool))
        problems = tuple(
            problem for problem in collected.problems if problem.code != HIDDEN_UNICODE
        )  # lint finds these itself
        return cls(server.name, offered_prefix(server), tools, problems)

    def collected(self) -> Collected:
        """Return the tools, which cannot be called."""
        server = StdioServer(self.name, "", prefix=self.prefix)
        return Collected(
            [RemoteTool.from_listing(server, name, spec) for name, spec in self.tools], list(self.problems)
        )


class ConfiguredServers:
    """The configured MCP servers."""

    def __init__(self, configuration: Configuration, consents: Consents) -> None:
        """Create the collection without contacting the servers.

        Args:
            configuration: The settings of the project.
            consents: The user's consents, which are needed to contact a project's server.
        """
        self._configuration = configuration
        self._consents = consents
        self._opened: dict[str, Collected] = {}

    @property
    def names(self) -> list[str]:
        """The names of the servers, and of the tools of contacted servers."""
        tools = (tool for found in self._opened.values() for tool in found.tools)
        return [*self._configuration.mcp, *(tool.address for tool in tools if isinstance(tool, RemoteTool))]

    def find(self, path: str) -> Collected | None:
        """Return the tools of a server, or the tool `server.tool`; `None` if there is no such server."""
        if path in self._configuration.mcp:
            return self.open(path)
        name, _, wanted = path.partition(".")
        if name not in self._configuration.mcp:
            name, wanted = self._server_with_prefix_of(path), path
        if not name or not wanted:
            return None
        found = self.open(name)
        if not found.tools:
            return found
        for tool in found.tools:
            if isinstance(tool, RemoteTool) and wanted in {tool.wire_name, tool.name}:
                return Collected([tool], [as_warning(problem) for problem in found.problems])
        return Collected([], _left_out(self._configuration.mcp[name], wanted, found) or [_unknown(name, wanted, found)])

    def open(self, name: str) -> Collected:
        """Return the tools of a server; if it cannot be reached, it is tried again the next time.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        if name not in self._opened:
            server: McpServer | ListedServer = self._configuration.mcp[name]
            if isinstance(server, ListedServer):
                return self._opened.setdefault(name, server.collected())
            problem = missing_extra() or self.refusal(server)
            found = Collected.nothing(problem) if problem else self._contact(server)
            if not found.tools:
                return found
            self._opened[name] = found
        return self._opened[name]

    def may_be_reached(self, server: McpServer) -> bool:
        """Return whether the user has already consented to a server; the user is not asked."""
        access = access_to(server)
        return access is None or self._consents.is_given(access)

    def refusal(self, server: McpServer) -> Problem | None:
        """Return why a server cannot be contacted, or `None` if it can. If necessary and possible, the user is asked.

        Raises:
            ExitEarlyError: If the reviewer ends the run.
        """
        access = access_to(server)
        return None if access is None else self._consents.refusal(access)

    def _contact(self, server: McpServer) -> Collected:
        from toolkit.mcp.client.server_sessions import (
            ServerUnreachable,  # it imports the SDK
            connection_to,
            with_sign_in,
        )
        from toolkit.mcp.sign_in.providers import person_of  # as above

        person = person_of(self._consents.gate)
        try:
            connection = connection_to(server, self._configuration.context)
            listing = run_coroutine(lambda: with_sign_in(server, person, connection.listing))
        except ServerUnreachable as error:
            return Collected.nothing(unreachable_problem(server, str(error)))
        except ConfigurationError as error:
            return Collected.nothing(Problem(BAD_CONFIGURATION, str(error), server.place))
        tools, problems = self.select(server, listing)
        if not tools and not problems and not server.resources and not server.prompts:
            problems = [Problem(NO_TOOLS, f"MCP server '{server.name}' has no tools", server.place)]
        return Collected([*tools], problems)

    def select(self, server: McpServer, listing: "Listing") -> tuple[list[RemoteTool], list[Problem]]:
        """Return the listed tools that the settings choose and the lockfile allows, and the problems with others."""
        tools, problems = tools_from(server, listing)
        if not self._configuration.holds_pins:
            return tools, problems
        kept = as_pinned(server, tools, self._configuration.directory)
        return [tool for tool in tools if tool in kept.tools], [*problems, *kept.problems]

    def _server_with_prefix_of(self, name: str) -> str:
        """Return the name of the server with the prefix of a tool name, or an empty string."""
        for server in self._configuration.mcp.values():
            prefix = offered_prefix(server)
            if prefix and name.startswith(prefix) and len(name) > len(prefix):
                return server.name
        return ""


def _left_out(server: McpServer, wanted: str, found: Collected) -> list[Problem]:
    """Return why a tool that its server lists was left out."""
    prefix = str(place_of(server.name, ""))
    return [
        replace(problem, severity="error")
        for problem in found.problems
        if wanted in {name := str(problem.location or "").removeprefix(prefix), offered_name(server, name)}
    ]


def _unknown(server: str, wanted: str, found: Collected) -> Problem:
    names = [tool.wire_name for tool in found.tools if isinstance(tool, RemoteTool)]
    hint = did_you_mean(wanted, names, otherwise=f"it has {', '.join(names)}")
    return Problem(NOT_FOUND, f"nothing is named '{wanted}' in MCP server '{server}'", hint=hint)

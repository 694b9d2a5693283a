"""`toolkit mcp`: list the configured MCP servers, or check that they answer."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from toolkit.codes import NOT_FOUND, SERVER_UNREACHABLE
from toolkit.mcp.tools.remote import left_out
from toolkit.problems import Problem
from toolkit.settings.configuration_search import find_configuration
from toolkit.settings.setting_consents import consents_for
from toolkit.sources.servers import ConfiguredServers, missing_extra
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration, unknown_names
from toolkit_cli.completion import complete_server
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.rendering.listings import listed_servers, server_record
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.running.opened_tools import gate_for
from toolkit_cli.shared_options import Debug, Starts

if TYPE_CHECKING:
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.settings.configuration import Configuration


Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SERVER]...",
        help="Names of servers; all by default.",
        show_default=False,
        autocompletion=complete_server,
    ),
]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")]


class ServersOptions(NamedTuple):
    """The command-line options of `toolkit mcp list` and `toolkit mcp ping`, one per field."""

    names: Names = None
    start: Starts = None
    format: Shown = "text"
    debug: Debug = False


def list_servers(options: ServersOptions) -> ExitCode:
    """List the configured servers with their state and tools.

    Only servers that you have allowed are started. The exit code is 4 if one of them cannot be reached.
    """
    chosen = _choose_servers(options)
    if chosen is None:
        return ExitCode.SUCCESS
    from toolkit.mcp.client.server_sessions import check_servers  # it imports the SDK

    allowed = [server for server in chosen.servers if chosen.opened.may_be_reached(server)]
    found = {one.server.name: one for one in check_servers(allowed, chosen.configuration.context)}
    shown = [found.get(server.name, server) for server in chosen.servers]
    if options.format == "json":
        console.write_json([server_record(one) for one in shown])
    else:
        print_lines(listed_servers(shown, console.data_width()))
        report([left_out(one.server, tool) for one in found.values() for tool in one.unreadable])
    return ExitCode.NOT_FOUND if any(one.health is None for one in found.values()) else ExitCode.SUCCESS


def ping_servers(options: ServersOptions) -> ExitCode:
    """Check that servers answer, and how fast.

    You are asked for consent before a server of the project is started. The exit code is 4 if one cannot be reached.
    """
    chosen = _choose_servers(options)
    if chosen is None:
        return ExitCode.SUCCESS
    from toolkit.mcp.client.server_sessions import (
        ServerUnreachable,  # it imports the SDK
        ping,
    )

    problems = []
    for server in chosen.servers:
        if refused := chosen.opened.refusal(server):
            problems.append(refused)
            continue
        try:
            health, seconds = ping(server, chosen.configuration.context)
        except ServerUnreachable as error:
            problems.append(Problem(SERVER_UNREACHABLE, str(error), server.place))
            continue
        milliseconds = round(seconds * 1000, 1)
        if options.format == "json":
            record = {"name": server.name, "protocol": health.protocol, "title": health.title}
            console.write_json(record | {"milliseconds": milliseconds}, indent=None)
        else:
            console.write_data(f"{server.name} answers in {milliseconds:g}ms ({health.protocol})\n")
    if problems:
        raise Failure(code_for(problems), problems=problems)
    return ExitCode.SUCCESS


class _Chosen(NamedTuple):
    """The servers that a command is about."""

    servers: list["McpServer"]
    configuration: "Configuration"
    opened: "ConfiguredServers"


def _choose_servers(options: ServersOptions) -> _Chosen | None:
    """Return the named servers, or all configured ones; `None` if there are none.

    Raises:
        Failure: If servers are unknown, with all of them; or if the extra `mcp` is missing.
    """
    configuration = load_configuration(start=options.start)
    report(find_configuration()[1], as_json=options.format == "json")
    unknown = unknown_names(options.names or (), configuration.mcp, "MCP server", code=NOT_FOUND)
    if unknown:
        raise Failure(code_for(unknown), problems=unknown)
    if not configuration.mcp:
        console.say("no MCP server is configured; add one to toolkit.toml under [mcp.NAME]")
        return None
    if problem := missing_extra():
        raise Failure(code_for([problem]), problems=[problem])
    opened = ConfiguredServers(configuration, consents_for(configuration, gate_for(configuration)))
    names = list(dict.fromkeys(options.names or ())) or list(configuration.mcp)
    return _Chosen([configuration.mcp[name] for name in names], configuration, opened)


SERVERS: Final[Mapping[str, Callable[..., int]]] = {"list": list_servers, "ping": ping_servers}
"""The commands of `toolkit mcp`."""

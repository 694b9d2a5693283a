"""`toolkit mcp`: list the configured MCP servers, or check that they answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolkit.codes import NOT_FOUND, SERVER_UNREACHABLE
from toolkit.problems import Problem
from toolkit.sources.configuring import find_configuration
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.completion import complete_server
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.options import Debug, Starts
from toolkit_cli.rendering.printed_lines import print_lines
from toolkit_cli.rendering.servers import listed_servers, server_record
from toolkit_cli.running.server_consent import gate_for
from toolkit_cli.settings import load_configuration
from toolkit_cli.unknown_names import unknown_names

if TYPE_CHECKING:
    from toolkit.sources.configuration import Configuration
    from toolkit.sources.servers import ConfiguredServers


Action = Annotated[
    Literal["list", "ping"],
    typer.Argument(metavar="list|ping", help="List the servers, or check that they answer.", show_default=False),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SERVER]...",
        help="Names of servers; all by default.",
        show_default=False,
        autocompletion=complete_server,
    ),
]


def mcp(
    action: Action,
    names: Names = None,
    *,
    start: Starts = None,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option("--format", help="The output format.")
    ] = "text",
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> ExitCode:
    """List the configured MCP servers with their state, protocol and tools, or check that they answer.

    `list` only starts servers that you have allowed; `ping` asks for consent first. The exit code is 4 if a server
    cannot be reached.
    """
    configuration = load_configuration(start=start)
    _report_warnings(as_json=format == "json")
    chosen = _choose(names or (), configuration)
    if not chosen:
        console.say("no MCP server is configured; add one to toolkit.toml under [mcp.NAME]")
        return ExitCode.SUCCESS
    from toolkit.sources.servers import ConfiguredServers, missing_extra  # noqa: PLC0415 - help needs none of it

    if problem := missing_extra():
        raise Failure(code_for([problem]), problems=[problem])
    from toolkit.sources.setting_consents import consents_for  # noqa: PLC0415

    servers = ConfiguredServers(configuration, consents_for(configuration, gate_for(configuration)))
    work = _list if action == "list" else _ping
    return work(chosen, configuration, servers, as_json=format == "json")


def _report_warnings(*, as_json: bool) -> None:
    """Report warnings about the configuration."""
    report(find_configuration()[1], as_json=as_json)


def _choose(names: Sequence[str], configuration: "Configuration") -> list[str]:
    """Return the names of the chosen servers; all configured ones by default.

    Raises:
        Failure: If servers are unknown; lists all of them.
    """
    known = configuration.mcp
    unknown = unknown_names(names, known, "MCP server", code=NOT_FOUND)
    if unknown:
        raise Failure(code_for(unknown), problems=unknown)
    return list(dict.fromkeys(names)) or list(known)


def _list(
    names: Sequence[str], configuration: "Configuration", servers: "ConfiguredServers", *, as_json: bool
) -> ExitCode:
    from toolkit.mcp.client.health import check_servers  # noqa: PLC0415 - it imports the SDK
    from toolkit.mcp.tools.remote import left_out  # noqa: PLC0415 - as above

    named = [configuration.mcp[name] for name in names]
    allowed = [server for server in named if servers.may_be_reached(server)]
    found = {one.server.name: one for one in check_servers(allowed, configuration.context)}
    shown = [found.get(server.name, server) for server in named]
    if as_json:
        console.write_json([server_record(one) for one in shown])
    else:
        lines = listed_servers(shown, console.data_width())
        print_lines(lines)
        report([left_out(one.server, tool) for one in found.values() for tool in one.unreadable])
    return ExitCode.NOT_FOUND if any(one.health is None for one in found.values()) else ExitCode.SUCCESS


def _ping(
    names: Sequence[str], configuration: "Configuration", servers: "ConfiguredServers", *, as_json: bool
) -> ExitCode:
    from toolkit.mcp.client.connections import ServerUnreachable  # noqa: PLC0415
    from toolkit.mcp.client.health import ping  # noqa: PLC0415 - it imports the SDK

    problems = []
    for name in names:
        server = configuration.mcp[name]
        if refused := servers.refusal(server):
            problems.append(refused)
            continue
        try:
            health, seconds = ping(server, configuration.context)
        except ServerUnreachable as error:
            problems.append(Problem(SERVER_UNREACHABLE, str(error), server.place))
            continue
        milliseconds = round(seconds * 1000, 1)
        if as_json:
            record = {"name": name, "protocol": health.protocol, "title": health.title, "milliseconds": milliseconds}
            console.write_data(f"{visible_json(record)}\n")
        else:
            console.write_data(f"{name} answers in {milliseconds:g}ms ({health.protocol})\n")
    if problems:
        raise Failure(code_for(problems), problems=problems)
    return ExitCode.SUCCESS

"""`toolkit mcp`: list the configured MCP servers, check them, sign in to them, and install them in clients."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from toolkit.codes import NOT_FOUND
from toolkit.mcp.settings.client_files import installed_servers
from toolkit.mcp.tools.remote import left_out
from toolkit.settings.configuration_search import find_configuration
from toolkit.settings.setting_consents import consents_for
from toolkit.sources.servers import ConfiguredServers, missing_extra
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration, unknown_names
from toolkit_cli.completion import complete_client, complete_server
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.rendering.listings import listed_servers, server_record
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.running.opened_tools import gate_for
from toolkit_cli.running.sessions import open_session
from toolkit_cli.servers.server_diagnoses import diagnose, diagnoses_of, problem_with, refusals_of, show_ping
from toolkit_cli.serving.client_installs import install, uninstall
from toolkit_cli.serving.launches import client_named
from toolkit_cli.shared_options import AskingOptions, Debug, MessageOptions, OpeningOptions, SessionOptions, Starts

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
Name = Annotated[str, typer.Argument(metavar="SERVER", help="The name of the server.", autocompletion=complete_server)]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")]


class ServersOptions(NamedTuple):
    """The command-line options of `toolkit mcp list` and `toolkit mcp ping`, one per field."""

    names: Names = None
    start: Starts = None
    format: Shown = "text"
    debug: Debug = False


class DoctorOptions(NamedTuple):
    """The command-line options of `toolkit mcp doctor`, one per field."""

    names: Names = None
    client: Annotated[
        str | None,
        typer.Option(
            metavar="CLIENT",
            help="Check the servers in the files of this client, instead of those that are configured.",
            autocompletion=complete_client,
        ),
    ] = None
    call: Annotated[
        bool,
        typer.Option("--call", help="Call a tool that says that it only reads, also of a server that is not trusted."),
    ] = False
    start: Starts = None
    asking: AskingOptions = AskingOptions()
    format: Shown = "text"
    debug: Debug = False


def list_servers(options: ServersOptions) -> ExitCode:
    """List the configured servers with their state and tools.

    Only servers that you have allowed are started. The exit code is 4 if one of them cannot be reached.
    """
    configuration = load_configuration(start=options.start)
    servers = _choose_servers(options.names, configuration, options.format)
    if not servers:
        return ExitCode.SUCCESS
    from toolkit.mcp.diagnosis.examinations import LISTING, examine  # it imports the SDK

    opened = ConfiguredServers(configuration, consents_for(configuration))
    allowed = [server for server in servers if opened.may_be_reached(server)]
    diagnoses = diagnoses_of(allowed, ToolContext(configuration.context), opened)
    examine(diagnoses, lambda _: LISTING)
    found = {one.server.name: one for one in diagnoses}
    shown = [found.get(server.name, server) for server in servers]
    if options.format == "json":
        console.write_json([server_record(one) for one in shown])
    else:
        print_lines(listed_servers(shown, console.data_width()))
        report([left_out(one.server, tool) for one in diagnoses if one.listing for tool in one.listing.unreadable])
    return ExitCode.NOT_FOUND if any(one.failure for one in diagnoses) else ExitCode.SUCCESS


def ping_servers(options: ServersOptions) -> ExitCode:
    """Check that servers answer, and how fast.

    You are asked for consent before a server of the project is started. The exit code is 4 if one cannot be reached.
    """
    configuration = load_configuration(start=options.start)
    servers = _choose_servers(options.names, configuration, options.format)
    if not servers:
        return ExitCode.SUCCESS
    from toolkit.mcp.diagnosis.examinations import PINGING, examine  # it imports the SDK

    opened = ConfiguredServers(configuration, consents_for(configuration, gate_for(configuration)))
    refusals = refusals_of(servers, opened)
    allowed = [server for server in servers if server.name not in refusals]
    diagnoses = diagnoses_of(allowed, ToolContext(configuration.context), opened)
    examine(diagnoses, lambda _: PINGING, lambda found: show_ping(found, as_json=options.format == "json"))
    problems = [*refusals.values(), *(problem for found in diagnoses if (problem := problem_with(found)) is not None)]
    if problems:
        raise Failure(code_for(problems), problems=problems)
    return ExitCode.SUCCESS


def examine_servers(options: DoctorOptions) -> int:
    """Find out why servers do not work: check each step from its settings to a call of one of its tools.

    You are asked for consent before a server of the project is started. A tool is only called if it says that it only
    reads and needs no arguments, and if you trust its server or give --call. The exit code is that of the gravest
    failure: 4 if a server cannot be reached, 3 without consent, 2 for wrong settings, 1 for its tools.
    """
    with open_session(_session_options(options), options.names or ()) as session:
        configuration = session.configuration
        if options.client is not None:
            configuration = _as_in_client(options.client, options.start, configuration)
        servers = _choose_servers(options.names, configuration, options.format)
        return diagnose(
            servers,
            session._replace(configuration=configuration),
            may_call=options.call,
            as_json=options.format == "json",
        )


def _as_in_client(name: str, start: list[str] | None, configuration: "Configuration") -> "Configuration":
    """Return the configuration with the servers in a client's files as its only ones.

    Raises:
        Failure: If there is no such client, it has no servers, or `--start` names another one.
    """
    client = client_named(name, option="--client")
    servers = installed_servers(client, configuration.directory)
    if not servers:
        raise Failure(ExitCode.NOT_FOUND, f"{client.title} has no MCP servers", hint="`toolkit mcp install` adds them")
    if unknown := unknown_names(start or (), servers, "MCP server", option="--start"):
        raise Failure(code_for(unknown), problems=unknown)
    return configuration._replace(mcp=servers, start=frozenset(start or ()))


class LoginOptions(NamedTuple):
    """The command-line options of `toolkit mcp login`, one per field."""

    name: Name
    start: Starts = None
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the page to open anywhere, and read the address it ends at.")
    ] = False
    stored_only: Annotated[
        bool, typer.Option("--stored-only", help="Use only an earlier sign-in, renewed if needed; for CI.")
    ] = False
    scope: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A permission that is needed. Repeatable.")
    ] = None
    debug: Debug = False


def login(options: LoginOptions) -> ExitCode:
    """Sign in to a server, in a browser.

    You see on which host before a browser is opened. Nothing is asked if an earlier sign-in is still accepted. The exit
    code is 4 if you are not signed in at the end.
    """
    configuration = load_configuration(start=options.start)
    servers = _choose_servers([options.name], configuration, "text")
    if not servers:
        return ExitCode.NOT_FOUND
    from toolkit_cli.servers.sign_ins import SignInWishes, log_in  # few commands need them

    gate = gate_for(configuration)
    refusals = refusals_of(servers, ConfiguredServers(configuration, consents_for(configuration, gate)))
    if refusals:
        raise Failure(code_for([*refusals.values()]), problems=[*refusals.values()])
    wishes = SignInWishes(not options.no_browser, options.stored_only, options.scope or ())
    return log_in(servers[0], configuration.context, gate, wishes)


class LogoutOptions(NamedTuple):
    """The command-line options of `toolkit mcp logout`, one per field."""

    name: Name
    debug: Debug = False


def logout(options: LogoutOptions) -> ExitCode:
    """Remove the stored tokens of a server, without contacting it."""
    servers = _choose_servers([options.name], load_configuration(), "text")
    if not servers:
        return ExitCode.NOT_FOUND
    from toolkit_cli.servers.sign_ins import log_out  # as above

    return log_out(servers[0])


def _session_options(options: DoctorOptions) -> SessionOptions:
    messages = MessageOptions(debug=options.debug)
    start = options.start if options.client is None else None  # it names a server in the client's file
    return SessionOptions(options.asking, OpeningOptions(start=start), messages=messages)


def _choose_servers(names: list[str] | None, configuration: "Configuration", format: str) -> list["McpServer"]:
    """Return the named servers, or all configured ones.

    Raises:
        Failure: If servers are unknown, with all of them; or if the extra `mcp` is missing.
    """
    report(find_configuration()[1], as_json=format == "json")
    unknown = unknown_names(names or (), configuration.mcp, "MCP server", code=NOT_FOUND)
    if unknown:
        raise Failure(code_for(unknown), problems=unknown)
    if not configuration.mcp:
        console.say("no MCP server is configured; add one to toolkit.toml under [mcp.NAME]")
        return []
    if problem := missing_extra():
        raise Failure(code_for([problem]), problems=[problem])
    return [configuration.mcp[name] for name in dict.fromkeys(names or configuration.mcp)]


SERVERS: Final[Mapping[str, Callable[..., int]]] = {
    "list": list_servers,
    "ping": ping_servers,
    "doctor": examine_servers,
    "install": install,
    "uninstall": uninstall,
    "login": login,
    "logout": logout,
}
"""The commands of `toolkit mcp`."""

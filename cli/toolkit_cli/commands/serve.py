"""`toolkit serve`: serve tools, pipelines, groups and agents to MCP clients."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import continue_with
from toolkit_cli.running.answer_sources import check_names
from toolkit_cli.running.opened_tools import named_servers
from toolkit_cli.running.sessions import checked_memory_id, open_session
from toolkit_cli.serving.launches import (
    TOKEN,
    LaunchOptions,
    TokenVariable,
    check_name,
    client_named,
    launch_of,
    remote_server,
    require_mcp,
)
from toolkit_cli.shared_options import (
    AskingOptions,
    ContextOptions,
    MessageOptions,
    Otel,
    SessionOptions,
    Targets,
    Yes,
)

if TYPE_CHECKING:
    from toolkit.mcp.settings.server_settings import McpServer
    from toolkit.settings.configuration import Configuration
    from toolkit_cli.serving.places import Place

_NAME = "toolkit"

Http = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT", help="Serve over HTTP, by default on the loopback interface; port 0 picks a free port."
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST[:PORT]", help="Accept HTTP requests for this host name. Repeatable."),
]
Printed = Annotated[
    str | None,
    typer.Option("--print-config", metavar="CLIENT", help="Print the configuration for an MCP client, and exit."),
]


class ServeOptions(NamedTuple):
    """The command-line options of `toolkit serve`, one per field."""

    targets: Targets = None
    http: Http = None
    token_env: TokenVariable = TOKEN
    allow_host: Hosts = None
    yes: Yes = False
    given: ContextOptions = ContextOptions()
    launch: LaunchOptions = LaunchOptions()
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the server.")] = _NAME
    directory: Annotated[Path | None, typer.Option(metavar="DIR", help="Change to this folder first.")] = None
    print_config: Printed = None
    otel: Otel = None
    messages: MessageOptions = MessageOptions()


def serve(options: ServeOptions) -> int:
    """Serve tools to MCP clients, over stdio or HTTP.

    The client is asked before each call, unless the tool is marked as read-only. If the client cannot ask its user, the
    call is rejected, and the error names the flag that allows it.
    """
    _go_to(options.directory)
    memory_id = checked_memory_id(options.given.memory_id)
    options = options._replace(given=options.given._replace(memory_id=memory_id))
    if options.print_config is None:
        continue_with(options.launch.python)
    require_mcp()
    from toolkit_cli.serving.places import parse_place  # help needs none of it

    place = None if options.http is None else parse_place(options.http)
    if options.print_config is not None:
        return _print_configuration(options.print_config, options, place)
    return _serve(options, place)


def _serve(options: ServeOptions, place: "Place | None") -> int:
    from toolkit_cli.serving import served_tools, server_transports  # help needs none of it

    asking = AskingOptions(options.yes, approve=options.launch.approve, policy=options.launch.policy)
    shared = SessionOptions(asking, options.launch.opening, options.given, options.otel, options.messages)
    targets = options.targets or ()
    with open_session(shared, targets, options.launch.tools) as session:
        session.audit()

        def open_with(configuration: "Configuration") -> server_transports.Reopened:
            now = session._replace(configuration=configuration)
            tools = served_tools.open_served(targets, now, options.launch.timeout)
            return server_transports.Reopened(tools, served_tools.skills_of(configuration))

        def open_again() -> server_transports.Reopened:
            return open_with(load_configuration(options.launch.tools, *options.launch.opening))

        access = None
        if place is not None:
            auth = session.configuration.serve.auth if session.configuration.serve is not None else None
            access = server_transports.http_options(place, options.token_env, options.allow_host or (), auth)
        served = served_tools.open_served(targets, session, options.launch.timeout)
        check_names(session.answers.rules, served.values())
        served_tools.warn_of_unknown_tools(session.configuration, served)
        token = None if access is None else access.token
        behind = named_servers(targets, session.configuration)
        typed = served_tools.TypedOptions(options.name, options.launch.meta or (), options.launch.timeout)
        made = served_tools.make_options(session, typed, token, behind)
        watched = [*targets, *map(str, served_tools.skill_folders_of(session.configuration))]
        watches = [server_transports.reloader(watched, open_again)] if options.launch.reload else []
        if behind:
            from toolkit_cli.serving.followed_servers import FollowedServers  # most servers have none behind

            # The servers have the user's consent, or nothing would be served; nobody is asked again.
            consented = session.configuration.start | {one.name for one in behind}
            same = session.configuration._replace(start=consented)
            reopen = partial(server_transports.last_good, partial(open_with, same))
            watches.append(FollowedServers(behind, session.context.values, reopen).follow)
        watch = server_transports.together(watches)
        if access is not None:
            return server_transports.serve_over_http(served, made, access, watch, quiet=session.is_quiet)
        return server_transports.serve_over_stdio(served, made, watch, quiet=session.is_quiet)


def _go_to(directory: Path | None) -> None:
    if directory is None:
        return
    try:
        os.chdir(directory)
    except OSError as error:
        message = f"--directory: cannot change to '{directory}': {(error.strerror or str(error)).lower()}"
        raise Failure(ExitCode.NOT_FOUND, message) from error


def _print_configuration(client: str, options: ServeOptions, place: "Place | None") -> int:
    """Print the configuration for a client; secrets are referenced by variable, and context values are left out."""
    from toolkit.mcp.settings.client_files import file_with  # help needs none of it

    if place is not None and place.port == 0:
        raise Failure(ExitCode.USAGE, "--print-config needs a fixed port", hint="for example --http 8000")
    name = options.name
    check_name(name)
    if place is None:
        more = {"--name": name if name != _NAME else None, "--memory-id": options.given.memory_id}
        server: McpServer = launch_of(
            name, options.targets or (), options.launch, more, ["--yes"] if options.yes else ()
        )
    else:
        server = remote_server(name, place.reachable.url(place.port), _token_variable(options, place))
    console.write_data(file_with(client_named(client, option="--print-config"), server))
    return ExitCode.SUCCESS


def _token_variable(options: ServeOptions, place: "Place") -> str | None:
    """Return the variable with the bearer token, if clients need one; with access tokens, they sign in themselves."""
    if os.environ.get(options.token_env):
        return options.token_env
    if place.is_private:
        return None
    serving = load_configuration(options.launch.tools, *options.launch.opening).serve
    return options.token_env if serving is None or serving.auth is None else None

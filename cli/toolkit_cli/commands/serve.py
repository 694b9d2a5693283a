"""`toolkit serve`: serve tools, pipelines, groups and agents to MCP clients."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.answer_sources import Answers, make_gate, policy_of_files
from toolkit_cli.running.approve_checks import check_names
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.context_values import checked_memory_id, read_values
from toolkit_cli.running.reporters import show_logs
from toolkit_cli.running.telemetry import telemetry
from toolkit_cli.screen import Screen
from toolkit_cli.shared_options import (
    ContextOptions,
    MessageOptions,
    OpeningOptions,
    Otel,
    PolicyPath,
    Rules,
    Sources,
    Targets,
    Yes,
)

if TYPE_CHECKING:
    from toolkit.mcp.settings.editors import Editor
    from toolkit.tools.base import Tool
    from toolkit_cli.serving.server_transports import Place

_NAME = "toolkit"
_FIT_NAME = re.compile(r"[\w-]+", re.ASCII)
_TOKEN = "TOOLKIT_SERVE_TOKEN"  # noqa: S105 - the name of a variable

Http = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT", help="Serve over HTTP, by default on the loopback interface; port 0 picks a free port."
    ),
]
TokenVariable = Annotated[
    str,
    typer.Option(
        "--token-env", metavar="NAME", help="The environment variable with the bearer token that clients must send."
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST[:PORT]", help="Accept HTTP requests for this host name. Repeatable."),
]
Keys = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY", help="Pass this key of a request's _meta to the tools. Repeatable."),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="The time limit for a call, not counting time for questions; 10m by default."),
]
Printed = Annotated[
    Literal["claude", "cursor", "vscode"] | None,
    typer.Option("--print-config", help="Print the configuration for an MCP client, and exit."),
]


class ServeOptions(NamedTuple):
    """The command-line options of `toolkit serve`, one per field."""

    targets: Targets = None
    http: Http = None
    token_env: TokenVariable = _TOKEN
    allow_host: Hosts = None
    yes: Yes = False
    approve: Rules = None
    policy: PolicyPath = None
    meta: Keys = None
    given: ContextOptions = ContextOptions()
    timeout: Time = None
    reload: Annotated[bool, typer.Option("--reload", help="Reload files when they change.")] = False
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the server.")] = _NAME
    directory: Annotated[Path | None, typer.Option(metavar="DIR", help="Change to this folder first.")] = None
    print_config: Printed = None
    tools: Sources = None
    opening: OpeningOptions = OpeningOptions()
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
    from toolkit_cli.serving.client_configs import require_mcp  # help needs none of it

    require_mcp()
    from toolkit_cli.serving import server_transports  # it imports the SDK

    place = None if options.http is None else server_transports.parse_place(options.http)
    if options.print_config is not None:
        return _print_configuration(options.print_config, options.name, _words(options), place, options.token_env)
    return _serve(options, place)


def _serve(options: ServeOptions, place: "Place | None") -> int:
    from toolkit_cli.serving import served_tools, server_transports  # help needs none of it
    from toolkit_cli.serving.server_transports import reloader

    with Screen() as screen, telemetry(options.otel) as listener:
        show_logs(screen, options.messages.verbose, debug=options.messages.debug)
        configuration = load_configuration(options.tools, *options.opening, options.policy)
        answers = Answers(
            options.yes, approve=options.approve or (), files=policy_of_files(configuration, options.targets or ())
        )
        gate = make_gate(answers, screen, configuration.approval_timeout)
        gate.audit = audit_of(configuration, always=True)

        def open_all() -> "dict[str, Tool]":
            now = load_configuration(options.tools, *options.opening)
            return served_tools.open_served(
                options.targets or (), now, gate, options.timeout, warn=not options.messages.quiet
            )

        access = (
            None
            if place is None
            else server_transports.http_options(place, options.token_env, options.allow_host or ())
        )
        served = open_all()
        check_names(answers.rules, served.values())
        values = read_values(options.given.context or ())
        settings = served_tools.ServeSettings(
            options.name,
            answers,
            meta=options.meta or (),
            values=values,
            memory_id=options.given.memory_id,
            timeout=options.timeout,
        )
        made = served_tools.make_options(settings, configuration, access.token if access else None, listener)
        watch = reloader(options.targets or (), open_all) if options.reload else None
        if access is not None:
            return server_transports.serve_over_http(served, made, access, watch, quiet=options.messages.quiet)
        return server_transports.serve_over_stdio(served, made, watch, quiet=options.messages.quiet)


def _words(options: ServeOptions) -> list[str]:
    """Return the arguments with which a client starts the same server."""
    lists = {
        "--approve": options.approve,
        "--meta": options.meta,
        "--tools": options.tools,
        "--grant": options.opening.grant,
    }
    lists |= {"--start": options.opening.start, "--consent": options.opening.consent}
    lists |= {"--timeout": [options.timeout] if options.timeout else None}
    lists |= {"--name": [options.name] if options.name != _NAME else None}
    lists |= {"--memory-id": [options.given.memory_id] if options.given.memory_id else None}
    lists |= {"--policy": [str(options.policy)] if options.policy else None}
    return [*(options.targets or ()), *_as_typed(lists, {"--yes": options.yes, "--reload": options.reload})]


def _go_to(directory: Path | None) -> None:
    if directory is None:
        return
    try:
        os.chdir(directory)
    except OSError as error:
        message = f"--directory: cannot change to '{directory}': {(error.strerror or str(error)).lower()}"
        raise Failure(ExitCode.NOT_FOUND, message) from error


def _as_typed(options: Mapping[str, Sequence[str] | None], flags: Mapping[str, bool]) -> list[str]:
    words = [word for option, values in options.items() for value in values or () for word in (option, value)]
    return [*words, *(flag for flag, is_set in flags.items() if is_set)]


def _print_configuration(
    editor: "Editor", name: str, words: Sequence[str], place: "Place | None", token_variable: str
) -> int:
    """Print the configuration for a client; secrets are referenced by variable, and context values are left out."""
    from toolkit_cli.serving.client_configs import configuration_to_paste  # only `--print-config` needs it

    if place is not None and place.port == 0:
        raise Failure(ExitCode.USAGE, "--print-config needs a fixed port", hint="for example --http 8000")
    if not _FIT_NAME.fullmatch(name):
        hint = "use letters, digits, '_' and '-'"
        raise Failure(ExitCode.USAGE, f"--name: '{name}' is not valid in every client's configuration", hint=hint)
    url = None if place is None else place.reachable.url(place.port)
    variable = token_variable if os.environ.get(token_variable) or (place and not place.is_private) else None
    whole = configuration_to_paste(editor, name, words, url, variable)
    console.write_json(whole)
    return ExitCode.SUCCESS

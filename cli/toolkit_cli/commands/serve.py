"""`toolkit serve`: serve tools, pipelines, groups and agents to MCP clients."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from toolkit.mcp.settings.editors import Address, Launch, editor_configuration
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import Python, absolute_python, continue_with
from toolkit_cli.running.answer_sources import check_names
from toolkit_cli.running.sessions import checked_memory_id, open_session
from toolkit_cli.shared_options import (
    AskingOptions,
    ContextOptions,
    MessageOptions,
    OpeningOptions,
    Otel,
    PolicyPath,
    Rules,
    SessionOptions,
    Sources,
    Targets,
    Yes,
)

if TYPE_CHECKING:
    from toolkit.mcp.settings.editors import Editor
    from toolkit.tools.base import Tool
    from toolkit_cli.serving.places import Place

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
    python: Python = None
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
    if options.print_config is None:
        continue_with(options.python)
    _require_mcp()
    from toolkit_cli.serving.places import parse_place  # help needs none of it

    place = None if options.http is None else parse_place(options.http)
    if options.print_config is not None:
        variable = _token_variable(options, place)
        return _print_configuration(options.print_config, options.name, _words(options), place, variable)
    return _serve(options, place)


def _serve(options: ServeOptions, place: "Place | None") -> int:
    from toolkit_cli.serving import served_tools, server_transports  # help needs none of it

    asking = AskingOptions(options.yes, approve=options.approve, policy=options.policy)
    shared = SessionOptions(asking, options.opening, options.given, options.otel, options.messages)
    targets = options.targets or ()
    with open_session(shared, targets, options.tools) as session:
        session.audit()

        def open_again() -> "dict[str, Tool]":
            now = load_configuration(options.tools, *options.opening)
            return served_tools.open_served(targets, session._replace(configuration=now), options.timeout)

        access = None
        if place is not None:
            auth = session.configuration.serve.auth if session.configuration.serve is not None else None
            access = server_transports.http_options(place, options.token_env, options.allow_host or (), auth)
        served = served_tools.open_served(targets, session, options.timeout)
        check_names(session.answers.rules, served.values())
        served_tools.warn_of_unknown_tools(session.configuration, served)
        token = None if access is None else access.token
        made = served_tools.make_options(session, options.name, options.meta or (), options.timeout, token)
        watch = server_transports.reloader(targets, open_again) if options.reload else None
        if access is not None:
            return server_transports.serve_over_http(served, made, access, watch, quiet=session.is_quiet)
        return server_transports.serve_over_stdio(served, made, watch, quiet=session.is_quiet)


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
    lists |= {"--python": [absolute_python(options.python)] if options.python else None}
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
    editor: "Editor", name: str, words: Sequence[str], place: "Place | None", token_variable: str | None
) -> int:
    """Print the configuration for a client; secrets are referenced by variable, and context values are left out."""
    if place is not None and place.port == 0:
        raise Failure(ExitCode.USAGE, "--print-config needs a fixed port", hint="for example --http 8000")
    if not _FIT_NAME.fullmatch(name):
        hint = "use letters, digits, '_' and '-'"
        raise Failure(ExitCode.USAGE, f"--name: '{name}' is not valid in every client's configuration", hint=hint)
    url = None if place is None else place.reachable.url(place.port)
    whole = _configuration_to_paste(editor, name, words, url, token_variable)
    console.write_json(whole)
    return ExitCode.SUCCESS


def _token_variable(options: ServeOptions, place: "Place | None") -> str | None:
    """Return the variable with the bearer token, if clients need one; with access tokens, they sign in themselves."""
    if os.environ.get(options.token_env):
        return options.token_env
    if place is None or place.is_private:
        return None
    serving = load_configuration(options.tools, *options.opening).serve
    return options.token_env if serving is None or serving.auth is None else None


def _configuration_to_paste(
    editor: "Editor", name: str, words: Sequence[str], http: str | None, token_variable: str | None
) -> dict[str, Any]:
    """Return the configuration for an editor, with absolute paths and without secrets.

    Args:
        editor: The editor.
        name: The name of the server in the editor.
        words: The arguments of `toolkit serve`.
        http: The URL of the server, if it serves over HTTP.
        token_variable: The environment variable with the bearer token, if the server needs one.
    """
    if http is not None:
        return editor_configuration(editor, name, Address(http, token_variable))
    command, *first = _program()
    arguments = [*first, "serve", "--directory", str(Path.cwd()), *words]
    return editor_configuration(editor, name, Launch(command, arguments))


def _program() -> list[str]:
    """Return a command that starts `toolkit` from any folder."""
    beside = Path(sys.executable).with_name("toolkit")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("toolkit")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "toolkit_cli"]


def _require_mcp() -> None:
    """Check that an MCP SDK that works is installed, before it is imported.

    Raises:
        Failure: If none is; the hint has the command that installs it.
    """
    from toolkit.sources.servers import missing_extra  # help needs none of it

    if problem := missing_extra("serving needs"):
        raise Failure(ExitCode.USAGE, problems=[problem])

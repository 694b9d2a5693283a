"""Installs servers in the files of MCP clients: shown as a diff, asked, and written with a backup."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

import typer

from toolkit.codes import NOT_FOUND
from toolkit.documents.keys import Origin, Spot
from toolkit.mcp.settings.client_files import BACKUP, FileChange, entries_in, to_install, to_uninstall, write_change
from toolkit.mcp.settings.clients import CLIENTS, Client, Scope, file_of, is_found
from toolkit.mcp.settings.server_settings import HttpServer, McpServer, StdioServer
from toolkit.mcp.settings.server_tables import read_server
from toolkit.problems import Problem, did_you_mean
from toolkit.replacing import text_diff
from toolkit.sources.targets import parse_target
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.completion import complete_client
from toolkit_cli.failures import ExitCode, Failure, cannot_write, end_at_errors, report
from toolkit_cli.rendering.excerpts import as_lines, shown_path
from toolkit_cli.rendering.styles import paint_all, print_lines, table
from toolkit_cli.reviewing.confirmations import confirm
from toolkit_cli.serving.launches import LaunchOptions, check_name, client_named, launch_of, remote_server, require_mcp
from toolkit_cli.shared_options import Debug, Targets

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_NAME = "toolkit"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_USUAL_LABELS = {"mcp", "www", "api"}

ClientName = Annotated[
    str | None,
    typer.Argument(
        metavar="[CLIENT]",
        help="The client; without one, all clients are listed with their files.",
        show_default=False,
        autocompletion=complete_client,
    ),
]
Named = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The name of the server in the client; that of TARGET by default."),
]
Project = Annotated[bool, typer.Option("--project", help="Change the file of this project, instead of yours.")]
Sure = Annotated[bool, typer.Option("--yes", "-y", help="Change the file without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print how the file would change.")]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The format of the list of clients.")]


class InstallOptions(NamedTuple):
    """The command-line options of `toolkit mcp install`, one per field."""

    client: ClientName = None
    targets: Targets = None
    name: Named = None
    project: Project = False
    serve: Annotated[
        bool, typer.Option("--serve", help="Let `toolkit serve` stand in front of a configured MCP server.")
    ] = False
    token_env: Annotated[
        str | None,
        typer.Option("--token-env", metavar="NAME", help="The environment variable with the token for an address."),
    ] = None
    yes: Sure = False
    dry_run: DryRun = False
    launch: LaunchOptions = LaunchOptions()
    format: Shown = "text"
    debug: Debug = False


class UninstallOptions(NamedTuple):
    """The command-line options of `toolkit mcp uninstall`, one per field."""

    client: Annotated[
        str, typer.Argument(metavar="CLIENT", help="The client.", show_default=False, autocompletion=complete_client)
    ]
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="What was installed, or its name there.", show_default=False)
    ]
    project: Project = False
    yes: Sure = False
    dry_run: DryRun = False
    debug: Debug = False


def install(options: InstallOptions) -> ExitCode:
    """Install tools, a configured MCP server or an address in an MCP client.

    TARGET is what `toolkit serve` takes, the name of a configured server, or an https:// address. The change of the
    client's file is shown, you are asked, and the previous content is kept next to it.
    """
    if options.client is None:
        return _list_clients(options.format)
    client = client_named(options.client)
    configuration = load_configuration(options.launch.tools, *options.launch.opening)
    server = _server_of(options, configuration)
    file = _file_of(client, configuration.directory, project=options.project)
    change = to_install(client, file, server)
    if change.before == change.after:
        console.say(f"'{server.name}' is already in {shown_path(str(file))}")
        return ExitCode.SUCCESS
    question = f"Install '{server.name}' in {client.title}?"
    return _apply(change, question, f"installed '{server.name}' in {client.title}", options.yes, options.dry_run)


def uninstall(options: UninstallOptions) -> ExitCode:
    """Remove a server from the file of an MCP client.

    The change is shown, you are asked, and the previous content is kept next to the file.
    """
    client = client_named(options.client)
    file = _file_of(client, load_configuration().directory, project=options.project)
    known = entries_in(client, file)
    name = options.target if options.target in known else _name_of([options.target])
    change = to_uninstall(client, file, name)
    if change is None:
        otherwise = f"its servers are {', '.join(known)}" if known else "it has none"
        hint = did_you_mean(name, known, otherwise=otherwise)
        problem = Problem(NOT_FOUND, f"there is no server '{name}' in '{shown_path(str(file))}'", hint=hint)
        raise Failure(ExitCode.NOT_FOUND, problems=[problem])
    question = f"Remove '{name}' from {client.title}?"
    return _apply(change, question, f"removed '{name}' from {client.title}", options.yes, options.dry_run)


def _apply(change: FileChange, question: str, done: str, yes: bool, dry_run: bool) -> ExitCode:  # noqa: FBT001
    """Show a change, ask, and write it; a dry run prints it for other programs."""
    name = shown_path(str(change.file))
    console.redactor().learn(*change.secrets)
    diff = text_diff(change.before or "", change.after or "", name)
    if dry_run:
        console.write_data(diff)
        return ExitCode.SUCCESS
    console.say(paint_all(as_lines(diff), colour=console.stderr_has_colour()).rstrip("\n"))
    if not yes:
        confirm(question, hint="--yes changes the file without asking, and --dry-run only prints the change")
    try:
        write_change(change)
    except OSError as error:
        raise cannot_write(name, error) from error
    kept = f"; its previous content is next to it, in '{change.file.name}{BACKUP}'"
    written = f": {name}{kept if change.before is not None else ''}"
    console.say(f"{done}{written}" if change.after is not None else f"{done}, and the file with it: {name}")
    return ExitCode.SUCCESS


def _file_of(client: Client, folder: Path, *, project: bool) -> Path:
    scope: Scope = "project" if project else "user"
    file = file_of(client, scope, folder)
    if file is None:
        what = "a file for a project" if project else "a file on this system"
        hint = "leave out --project" if project else f"see {client.sources[0].place}"
        raise Failure(ExitCode.USAGE, f"{client.title} does not have {what}", hint=hint)
    return file


def _server_of(options: InstallOptions, configuration: "Configuration") -> McpServer:
    """Return the server to install.

    Raises:
        Failure: If there is none, or an option does not fit.
    """
    targets = options.targets or []
    name = options.name or _name_of(targets)
    check_name(name)
    addresses = [target for target in targets if _is_address(target)]
    if options.token_env is not None and not addresses:
        raise Failure(ExitCode.USAGE, "--token-env needs an address as TARGET")
    if options.token_env is not None and not _VARIABLE.fullmatch(options.token_env):
        message = "--token-env: this is not the name of a variable"
        raise Failure(ExitCode.USAGE, message, hint="write the name, such as TICKETS_TOKEN, and not the token")
    if addresses:
        if len(targets) > 1:
            hint = "install each by itself; or write it as [mcp.NAME] into toolkit.toml, and serve it with the others"
            raise Failure(ExitCode.USAGE, f"'{addresses[0]}' is an address, and cannot be one of several", hint=hint)
        return _checked(remote_server(name, addresses[0], options.token_env))
    known = configuration.mcp.get(targets[0]) if len(targets) == 1 and not Path(targets[0]).exists() else None
    if known is not None and not options.serve:
        return _from_anywhere(replace(known, name=name))
    require_mcp()
    if not targets and not configuration.sources:
        hint = "name a file, a folder, a tool, a configured MCP server or an https:// address"
        raise Failure(ExitCode.USAGE, "there are no tools to install", hint=hint)
    missing = [found for target in targets if isinstance(found := parse_target(target, Path.cwd()), Problem)]
    if missing:
        raise Failure(ExitCode.NOT_FOUND, problems=missing)
    return launch_of(name, targets, options.launch)


def _checked(server: HttpServer) -> McpServer:
    """Return a server as one in a user's configuration, where its address is checked.

    Raises:
        Failure: If the address or the name of the variable is not valid.
    """
    problems: list[Problem] = []
    origin = Origin(Path.cwd(), lambda _: None, problems, "user", code="")
    table = {"url": server.url, **({"headers": server.headers} if server.headers else {})}
    read_server(server.name, table, Spot((server.name,), origin))
    end_at_errors(problems)
    report(problems)
    return server


def _is_address(target: str) -> bool:
    return target.startswith(("https://", "http://"))


def _name_of(targets: list[str]) -> str:
    """Return the name for a server in a client: that of the file, of the configured server, or of the address."""
    if len(targets) != 1:
        return _NAME
    [target] = targets
    if _is_address(target):
        host = urlsplit(target).hostname or ""
        labels = [label for label in host.split(".")[:-1] if label not in _USUAL_LABELS]
        name = labels[-1] if labels and not host.replace(".", "").isdecimal() else host
    else:
        file = target.rpartition(":")[0] or target
        name = Path(file).absolute().stem if Path(file).exists() else target
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or _NAME


def _from_anywhere(server: McpServer) -> McpServer:
    """Return a server whose files are named by absolute paths, since clients start it in a folder of their own."""
    if not isinstance(server, StdioServer) or server.cwd is None:
        return server
    folder = server.cwd
    is_file = [("/" in one or "." in one) and (folder / one).is_file() for one in server.args]
    args = [str(folder / one) if known else one for one, known in zip(server.args, is_file, strict=True)]
    return replace(server, args=tuple(args))


def _list_clients(form: Literal["text", "json"]) -> ExitCode:
    """List the clients with their files, and whether each is found on this machine."""
    folder = load_configuration().directory
    records = [
        {
            "client": name,
            "title": client.title,
            "found": is_found(client),
            "file": _text_of(file_of(client, "user", folder)),
            "project_file": _text_of(file_of(client, "project", folder)),
        }
        for name, client in CLIENTS.items()
    ]
    if form == "json":
        console.write_json(records)
        return ExitCode.SUCCESS
    rows = [
        (str(one["client"]), "found" if one["found"] else "", str(one["project_file"] or ""), str(one["file"] or ""))
        for one in records
    ]
    print_lines(table(("CLIENT", "HERE", "PROJECT", "FILE"), rows, console.data_width()))
    return ExitCode.SUCCESS


def _text_of(file: Path | None) -> str | None:
    return None if file is None else shown_path(str(file))

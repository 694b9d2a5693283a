"""The servers that a client's configuration describes: the command that starts `toolkit serve`, or an address."""

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from toolkit.mcp.settings.clients import CLIENTS, Client
from toolkit.mcp.settings.server_settings import HttpServer, StdioServer
from toolkit_cli.command_settings import unknown_names
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import Python, absolute_python
from toolkit_cli.shared_options import OpeningOptions, PolicyPath, Rules, Sources

TOKEN = "TOOLKIT_SERVE_TOKEN"  # noqa: S105 - the name of a variable
_FIT_NAME = re.compile(r"[\w-]+", re.ASCII)

TokenVariable = Annotated[
    str,
    typer.Option(
        "--token-env", metavar="NAME", help="The environment variable with the bearer token that clients must send."
    ),
]
Keys = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY", help="Pass this key of a request's _meta to the tools. Repeatable."),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="The time limit for a call, not counting time for questions; 10m by default."),
]


class LaunchOptions(NamedTuple):
    """The options of a server that the client's configuration repeats."""

    approve: Rules = None
    policy: PolicyPath = None
    meta: Keys = None
    timeout: Time = None
    reload: Annotated[bool, typer.Option("--reload", help="Reload files when they change.")] = False
    tools: Sources = None
    python: Python = None
    opening: OpeningOptions = OpeningOptions()


def launch_of(
    name: str,
    targets: Sequence[str],
    options: LaunchOptions,
    more: Mapping[str, str | None] | None = None,
    flags: Sequence[str] = (),
) -> StdioServer:
    """Return the server that starts `toolkit serve`, with absolute paths, without secrets and context values.

    Args:
        name: The name of the server in the client.
        targets: What it serves.
        options: Its options.
        more: Further options with their values; those without a value are left out.
        flags: Further options without values.
    """
    lists: dict[str, Sequence[str] | None] = {
        "--approve": options.approve,
        "--meta": options.meta,
        "--tools": options.tools,
        "--grant": options.opening.grant,
        "--start": options.opening.start,
        "--consent": options.opening.consent,
        "--timeout": [options.timeout] if options.timeout else None,
    }
    lists |= {option: [value] if value else None for option, value in (more or {}).items()}
    lists |= {"--python": [absolute_python(options.python)] if options.python else None}
    lists |= {"--policy": [str(options.policy)] if options.policy else None}
    words = [word for option, values in lists.items() for value in values or () for word in (option, value)]
    command, *first = _program()
    arguments = [*first, "serve", "--directory", str(Path.cwd()), *targets, *words, *flags]
    return StdioServer(name, command, (*arguments, *(("--reload",) if options.reload else ())))


def remote_server(name: str, url: str, token_variable: str | None) -> HttpServer:
    """Return the server at an address, whose bearer token is in an environment variable, if it needs one."""
    return HttpServer(name, url, {"Authorization": f"Bearer ${{{token_variable}}}"} if token_variable else {})


def client_named(name: str, *, option: str | None = None) -> Client:
    """Return a client by its name; `claude` is short for Claude Code.

    Raises:
        Failure: If there is no such client.
    """
    if found := CLIENTS.get("claude-code" if name == "claude" else name):
        return found
    raise Failure(ExitCode.USAGE, problems=unknown_names([name], CLIENTS, "client", option=option))


def check_name(name: str) -> None:
    """Check that a name of a server is valid in the files of all clients.

    Raises:
        Failure: If it is not.
    """
    if not _FIT_NAME.fullmatch(name):
        message = f"--name: '{name}' is not valid in every client's configuration"
        raise Failure(ExitCode.USAGE, message, hint="use letters, digits, '_' and '-'")


def _program() -> list[str]:
    """Return a command that starts `toolkit` from any folder."""
    beside = Path(sys.executable).with_name("toolkit")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("toolkit")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "toolkit_cli"]


def require_mcp() -> None:
    """Check that an MCP SDK that works is installed, before it is imported.

    Raises:
        Failure: If none is; the hint has the command that installs it.
    """
    from toolkit.sources.servers import missing_extra  # help needs none of it

    if problem := missing_extra("serving needs"):
        raise Failure(ExitCode.USAGE, problems=[problem])

"""`toolkit mcp login` and `logout`: sign in to a server and out of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.codes import SERVER_UNREACHABLE
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.mcp.settings.server_settings import HttpServer, McpServer
    from toolkit.mcp.sign_in.providers import Person


class SignInWishes(NamedTuple):
    """How to sign in.

    Attributes:
        opens_browser: Whether to open a browser on this machine.
        stored_only: Whether to use only tokens from an earlier sign-in.
        scopes: The permissions that are needed.
    """

    opens_browser: bool = True
    stored_only: bool = False
    scopes: Sequence[str] = ()


def log_in(server: "McpServer", values: Mapping[str, Any], gate: "Gate | None", wishes: SignInWishes) -> ExitCode:
    """Sign in to a server, unless its stored tokens are accepted, and say how many tools it has.

    Args:
        server: The server, for which the caller has the user's consent.
        values: The values of the context, which the server's headers can refer to.
        gate: Has the reviewer at the terminal.
        wishes: How to sign in.

    Raises:
        Failure: If the user is not signed in.
    """
    remote = _over_http(server)
    from toolkit.mcp.client.server_sessions import (  # it imports the SDK
        ServerUnreachable,
        SignInNeeded,
        connection_to,
        sign_in_to,
        with_sign_in,
    )
    from toolkit.mcp.sign_in.providers import Challenge, url_of
    from toolkit.mcp.sign_in.token_files import TokenStore

    person = None if wishes.stored_only else _person(gate, opens_browser=wishes.opens_browser)
    try:
        connection, store = connection_to(remote, values), TokenStore(remote, url_of(remote))
        listing = run_coroutine(lambda: with_sign_in(remote, person, connection.listing))
        granted = store.read()
        missing = tuple(scope for scope in wishes.scopes if granted is None or scope not in granted.scopes)
        if missing and person is not None:
            run_coroutine(lambda: sign_in_to(remote, Challenge.for_scopes(missing), person))
        elif missing:
            raise Failure(ExitCode.NOT_FOUND, f"the sign-in to '{server.name}' lacks {', '.join(missing)}")
    except (ServerUnreachable, ConfigurationError) as error:
        hint = _HOW if isinstance(error, SignInNeeded) and not wishes.stored_only else None
        raise Failure(
            ExitCode.NOT_FOUND, problems=[Problem(SERVER_UNREACHABLE, str(error), server.place, hint=hint)]
        ) from error
    count = f"{len(listing.tools)} tool{'' if len(listing.tools) == 1 else 's'}"
    if store.read() is None:
        console.say(f"'{server.name}' answers without a sign-in: {count}")
    else:
        console.say(f"signed in to '{server.name}': {count}")
    if store.lacks_keyring:
        console.say(f"this system has no keyring that can be used: the tokens are in {shown_path(str(store.file))}")
    return ExitCode.SUCCESS


_HOW = "a sign-in needs a terminal, and no CI; machines sign in with auth = { grant = 'client_credentials', … }"


def log_out(server: "McpServer") -> ExitCode:
    """Remove the tokens and the registration that are stored for a server; nothing is contacted.

    Raises:
        Failure: If the server does not have any, or they cannot be removed.
    """
    remote = _over_http(server)
    from toolkit.mcp.sign_in.providers import url_of  # it imports the SDK
    from toolkit.mcp.sign_in.token_files import TokenStore

    try:
        was_there = TokenStore(remote, url_of(remote)).remove()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Failure(ExitCode.FINDINGS, f"the tokens of '{server.name}' cannot be removed: {reason}") from error
    console.say(f"signed out of '{server.name}'" if was_there else f"you were not signed in to '{server.name}'")
    return ExitCode.SUCCESS


def _over_http(server: "McpServer") -> "HttpServer":
    from toolkit.mcp.settings.server_settings import HttpServer  # cheap, but only these two commands need it

    if isinstance(server, HttpServer):
        if server.signs_in:
            return server
        hint = "its 'headers' have an 'Authorization'; remove it to sign in"
        raise Failure(ExitCode.USAGE, f"MCP server '{server.name}' needs no sign-in", hint=hint)
    raise Failure(ExitCode.USAGE, f"MCP server '{server.name}' is a command, which needs no sign-in")


def _person(gate: "Gate | None", *, opens_browser: bool) -> "Person | None":
    from toolkit.mcp.sign_in.providers import person_of

    person = person_of(gate)
    if person is None or gate is None or gate.reviewer is None or opens_browser:
        return person
    from toolkit_cli.reviewing.sign_in_prompts import SignInPrompts

    return SignInPrompts(gate.reviewer, Screen(), opens_browser=False).sign_in

"""`toolkit mcp login` and `logout`: sign in to a server and out of it.

This module imports the SDK, so commands import it when they need it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.codes import SERVER_UNREACHABLE
from toolkit.errors import ConfigurationError
from toolkit.mcp.client.server_conversations import Listing
from toolkit.mcp.client.server_sessions import (
    ServerUnreachable,
    SignInNeeded,
    connection_to,
    sign_in_to,
    with_sign_in,
)
from toolkit.mcp.settings.server_settings import HttpServer, McpServer
from toolkit.mcp.sign_in.providers import Challenge, Person, person_of, url_of
from toolkit.mcp.sign_in.token_files import Grant, TokenStore
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.reviewing.sign_in_prompts import SignInPrompts
from toolkit_cli.screen import Screen

_HOW: Final = "a sign-in needs a terminal, and no CI; machines sign in with auth = { grant = 'client_credentials', … }"


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


def log_in(server: McpServer, values: Mapping[str, Any], gate: Gate | None, wishes: SignInWishes) -> ExitCode:
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
    try:
        store = TokenStore(remote, url_of(remote))
        listing = run_coroutine(lambda: _listing_of(remote, values, _person(gate, wishes), wishes.scopes))
    except (ServerUnreachable, ConfigurationError) as error:
        hint = _HOW if isinstance(error, SignInNeeded) and not wishes.stored_only else None
        problem = Problem(SERVER_UNREACHABLE, str(error), server.place, hint=hint)
        raise Failure(ExitCode.NOT_FOUND, problems=[problem]) from error
    count = f"{len(listing.tools)} tool{'' if len(listing.tools) == 1 else 's'}"
    state = f"'{server.name}' needs no sign-in" if store.read() is None else f"signed in to '{server.name}'"
    console.say(f"{state}: {count}")
    if store.lacks_keyring:
        console.say(f"this system has no keyring that can be used: the tokens are in {shown_path(str(store.file))}")
    return ExitCode.SUCCESS


async def _listing_of(
    server: HttpServer, values: Mapping[str, Any], person: Person | None, scopes: Sequence[str]
) -> Listing:
    """Return the tools of a server after the sign-in that it needs, and the one that these permissions need."""
    listing = await with_sign_in(server, person, connection_to(server, values).listing)
    granted = TokenStore(server, url_of(server)).read() or Grant()
    if missing := tuple(scope for scope in scopes if scope not in granted.scopes):
        challenge = Challenge.for_scopes(missing)
        if person is None:
            raise SignInNeeded(server, challenge, granted.token, "")
        await sign_in_to(server, challenge, granted.token, person)
    return listing


def log_out(server: McpServer) -> ExitCode:
    """Remove the tokens and the registration that are stored for a server; nothing is contacted.

    Raises:
        Failure: If they cannot be removed.
    """
    remote = _over_http(server)
    try:
        was_there = TokenStore(remote, url_of(remote)).remove()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Failure(ExitCode.FINDINGS, f"the tokens of '{server.name}' cannot be removed: {reason}") from error
    console.say(f"signed out of '{server.name}'" if was_there else f"you were not signed in to '{server.name}'")
    return ExitCode.SUCCESS


def _over_http(server: McpServer) -> HttpServer:
    if not isinstance(server, HttpServer):
        raise Failure(ExitCode.USAGE, f"MCP server '{server.name}' is a command, which needs no sign-in")
    if not server.signs_in:
        hint = "its 'headers' have an 'Authorization'; remove it to sign in"
        raise Failure(ExitCode.USAGE, f"MCP server '{server.name}' needs no sign-in", hint=hint)
    return server


def _person(gate: Gate | None, wishes: SignInWishes) -> Person | None:
    person = None if wishes.stored_only else person_of(gate)
    if person is None or gate is None or gate.reviewer is None or wishes.opens_browser:
        return person
    return SignInPrompts(gate.reviewer, Screen(), opens_browser=False)

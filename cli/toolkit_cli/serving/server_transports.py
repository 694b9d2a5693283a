"""Runs a server over stdio or HTTP until its client disconnects or it is interrupted."""

import asyncio
import gc
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from toolkit.errors import ConfigurationError
from toolkit.mcp.serving.http_requests import HttpAccess
from toolkit.mcp.serving.over_http import serve_http
from toolkit.mcp.serving.over_stdio import serve_stdio
from toolkit.mcp.serving.server import Options, ToolServer
from toolkit.sources.modules import imported_afresh
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, report
from toolkit_cli.serving.places import Place, listening_socket, run_until_interrupted
from toolkit_cli.watched_files import INTERVAL, stamp_after_a_while, stamp_of

if TYPE_CHECKING:
    from pathlib import Path

    from toolkit.mcp.serving.access_tokens import Fetch
    from toolkit.mcp.serving.protected_resource import Protection
    from toolkit.mcp.settings.serving_keys import ServingAuth

_SHORTEST_TOKEN = 16
_KEYS_SECONDS = 10.0
_MOST_NAMED = 12
_ALONE = (
    "waiting for an MCP client on stdin; clients start this command themselves "
    "(--print-config prints their configuration); press Ctrl-C to stop"
)
_HOST = re.compile(r"([\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?", re.ASCII)

Watch = Callable[["ToolServer"], Awaitable[None]]
"""A task that runs alongside a server."""


class HttpOptions(NamedTuple):
    """Who may connect over HTTP.

    Attributes:
        place: The address that the server listens on.
        token: The bearer token that clients must send, if any.
        hosts: Further host names that clients may use.
        auth: Whose access tokens are accepted, too.
    """

    place: Place
    token: str | None
    hosts: Sequence[str] = ()
    auth: "ServingAuth | None" = None


def http_options(place: Place, variable: str, hosts: Sequence[str], auth: "ServingAuth | None" = None) -> HttpOptions:
    """Return who may connect; the token is removed from the environment, so that tools cannot see it.

    Args:
        place: The address that the server listens on.
        variable: The environment variable with the bearer token, if it is set.
        hosts: Further host names that clients may use.
        auth: Whose access tokens are accepted, too.

    Raises:
        Failure: If other machines could connect without a token, the token is too short, or a host name is invalid; or
            if it is not known for which URL access tokens have to be issued.
    """
    for host in hosts:
        if not _HOST.fullmatch(host):
            hint = "write shop.example or shop.example:8443"
            raise Failure(ExitCode.USAGE, f"--allow-host: '{host}' is not a host name", hint=hint)
    token = os.environ.pop(variable, "").strip() or None
    hint = f"set {variable} to a long random string, such as the output of `openssl rand -hex 32`"
    if auth is not None and auth.audience is None and not place.is_private:
        message = f"access tokens have to name the URL at which clients reach '{place.host}', and it is not known"
        raise Failure(ExitCode.USAGE, message, hint="set [serve.auth] audience = 'https://tools.example/mcp'")
    if token is None and auth is None and not place.is_private:
        message = f"other machines can connect to '{place.host}', so a bearer token is required"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    if token is not None and not token.isascii():
        raise Failure(ExitCode.USAGE, f"the bearer token in {variable} has characters that are not ASCII", hint=hint)
    if token is not None and len(token) < _SHORTEST_TOKEN:
        message = f"the bearer token in {variable} has {len(token)} characters; it needs at least {_SHORTEST_TOKEN}"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    return HttpOptions(place, token, hosts, auth)


def _protection(auth: "ServingAuth", url: str, token: str | None) -> "Protection":
    """Return how requests to a server are protected.

    Args:
        auth: Whose access tokens are accepted.
        url: The URL of the server.
        token: The bearer token that is accepted, too, if any.
    """
    from toolkit.mcp.serving.access_tokens import Issuer  # cryptography takes a while to import
    from toolkit.mcp.serving.protected_resource import Protection

    return Protection(Issuer(auth.issuer, auth.audience or url, _fetch_from(auth), auth.jwks), token)


def _fetch_from(auth: "ServingAuth") -> "Fetch":
    """Return a function that fetches keys; only the configured hosts may be in a private network."""
    from toolkit.address_guard import (  # only servers with access tokens need it
        AddressGuard,
        host_and_port_of,
    )
    from toolkit.fetching import Fetcher

    trusted = [host_and_port_of(url) for url in (auth.issuer, auth.jwks) if url is not None]
    fetcher = Fetcher(AddressGuard(trusted), _KEYS_SECONDS)

    async def fetch(url: str) -> bytes:
        fetched = await fetcher.fetch("GET", url, {"Accept": "application/json"})
        if fetched.status != HTTPStatus.OK or fetched.is_cut:
            raise ValueError("it is too long" if fetched.is_cut else f"the answer is HTTP {fetched.status}")
        return fetched.body

    return fetch


def serve_over_stdio(tools: Mapping[str, Tool], options: Options, watch: Watch | None, *, quiet: bool) -> int:
    """Serve the client that started this process until it disconnects; return the exit code."""
    sink, source = console.data_descriptor(), console.reserve_stdin()
    if sink is None or source is None:
        raise Failure(
            ExitCode.USAGE,
            "cannot serve over stdio: stdin or stdout is closed",
            hint="serve over HTTP with --http PORT",
        )
    if not quiet:
        console.say(_served(tools, "over stdio"))
    if not quiet and os.isatty(source):
        console.say(_ALONE)

    async def work(server: "ToolServer") -> None:
        await serve_stdio(server, source, sink)

    return _until_the_end(tools, options, work, watch)


def serve_over_http(
    tools: Mapping[str, Tool], options: Options, access: HttpOptions, watch: Watch | None, *, quiet: bool
) -> int:
    """Serve clients over HTTP until interrupted; return the exit code."""
    with closing(listening_socket(access.place)) as listener:
        port = listener.getsockname()[1]
        url = access.place.url(port)
        within = HttpAccess.at([*access.place.names, *access.hosts], port, access.token)
        protection = None if access.auth is None else _protection(access.auth, url, access.token)

        def tell() -> None:
            if not quiet:
                console.say(_served(tools, f"at {url}"))

        async def work(server: "ToolServer") -> None:
            await serve_http(server, listener, within, tell, protection)

        return _until_the_end(tools, options, work, watch)


def _until_the_end(
    tools: Mapping[str, Tool],
    options: Options,
    work: "Callable[[ToolServer], Awaitable[None]]",
    watch: Watch | None,
) -> int:
    cut_off: list[str] = []

    async def serve() -> None:
        server = ToolServer(tools, options)
        watching = asyncio.ensure_future(watch(server)) if watch is not None else None
        try:
            await work(server)
        finally:
            if watching is not None:
                watching.cancel()
            cut_off.extend(server.cut_off)

    gc.freeze()  # imported objects stay alive; collecting them repeatedly, and again at exit, would take a second
    try:
        return run_until_interrupted(serve)
    finally:
        for name in cut_off:
            console.say(f"a call of '{name}' was stopped before it finished, and may have taken effect")


def _served(tools: Mapping[str, Tool], where: str) -> str:
    shown = [*tools][:_MOST_NAMED]
    count = f"{len(tools)} tool{'' if len(tools) == 1 else 's'}"
    return f"serving {count} {where}: {', '.join(shown)}{', …' if len(tools) > len(shown) else ''}"


class Reopened(NamedTuple):
    """What a server serves after a reload: tools by name, and the folders of skills."""

    tools: dict[str, Tool]
    skills: "Sequence[Path]" = ()


def reloader(targets: Sequence[str], reopen: Callable[[], Reopened]) -> "Watch":
    """Return a task that reloads the tools and skills of a server whenever a file has changed.

    Args:
        targets: The targets as typed, and folders of skills; their folders and all imported files are watched.
        reopen: Opens the tools, and finds the skills, again.
    """
    first = stamp_of(targets)

    async def watch(server: "ToolServer") -> None:
        known = first
        while True:
            await asyncio.sleep(INTERVAL)
            now = await asyncio.to_thread(stamp_of, targets)
            if now == known:
                continue
            while now != (later := await asyncio.to_thread(stamp_after_a_while, targets)):
                now = later  # the files are still being written
            served = await asyncio.to_thread(_afresh, reopen)
            # The set of imported files may have changed. An edit during the reload must trigger another one.
            known = {file: now.get(file, stamp) for file, stamp in (await asyncio.to_thread(stamp_of, targets)).items()}
            if served is not None:
                await _replace(server, served)

    return watch


async def _replace(server: "ToolServer", served: Reopened) -> None:
    try:
        await server.replace(served.tools, served.skills)
    except ConfigurationError as error:
        report(error.problems)
        console.say(_KEPT)
    else:
        console.say(f"reloaded: {', '.join(served.tools)}")


_KEPT = "the last good tools are still served"


def together(watches: Sequence[Watch]) -> Watch | None:
    """Return one task for several, or `None` if there are none."""

    async def watch(server: "ToolServer") -> None:
        await asyncio.gather(*(each(server) for each in watches))

    return watch if watches else None


def _afresh(reopen: Callable[[], Reopened]) -> Reopened | None:
    with imported_afresh():
        return last_good(reopen)


def last_good(reopen: Callable[[], Reopened]) -> Reopened | None:
    """Return what is served after a reload, or report the problems and return `None`."""
    try:
        return reopen()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
    except KeyboardInterrupt:  # raised by the module itself, since Ctrl-C arrives in the main thread
        console.say("error: importing a module raised KeyboardInterrupt")
    console.say(_KEPT)
    return None

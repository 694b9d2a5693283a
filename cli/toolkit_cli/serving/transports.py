"""Transports: a server over stdio or HTTP until its client disconnects or somebody ends it, and the exit code."""

import asyncio
import gc
import os
import re
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from toolkit.mcp.serving.over_stdio import serve_stdio
from toolkit.mcp.serving.server import Options, ToolServer
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.interrupts import Interrupts

_LOOPBACK = "127.0.0.1"
_LAST_PORT = 65_535
_SHORTEST_TOKEN = 16
_WAITING = 2_048
_MOST_NAMED = 12
_ALONE = (
    "waiting for an MCP client on stdin; clients start this command themselves "
    "(--print-config prints their configuration); press Ctrl-C to stop"
)
_HOST = re.compile(r"([\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?", re.ASCII)

Watch = Callable[["ToolServer"], Awaitable[None]]
"""Looks after a server while it serves."""


class Place(NamedTuple):
    """Where a server listens.

    Attributes:
        host: A name or an address.
        port: The port; 0 for any.
    """

    host: str
    port: int

    @property
    def is_private(self) -> bool:
        """Whether only this machine can connect."""
        return self.host == "localhost" or (self._address is not None and self._address.is_loopback)

    @property
    def _address(self) -> IPv4Address | IPv6Address | None:
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def reachable(self) -> "Place":
        """The same place under a name that clients can connect to: 0.0.0.0 is every address, and none of its own."""
        is_every = self._address is not None and self._address.is_unspecified
        return self._replace(host=socket.gethostname()) if is_every else self

    def url(self, port: int) -> str:
        """Return the URL of a server that listens here, at this port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/mcp"

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which clients may mean it."""
        if self.is_private:
            return (_LOOPBACK, "localhost", "[::1]")
        return (f"[{self.host}]" if ":" in self.host else self.host, socket.gethostname())


class HttpOptions(NamedTuple):
    """Who may come in over HTTP.

    Attributes:
        place: Where the server listens.
        token: The bearer token that clients must have.
        hosts: Further names under which clients may mean it.
    """

    place: Place
    token: str | None
    hosts: Sequence[str] = ()


def parse_place(text: str) -> Place:
    """Return the place that `[HOST:]PORT` means.

    Raises:
        Failure: If it means none.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _LAST_PORT or (":" in host and not host.startswith("[")):
        raise Failure(
            ExitCode.USAGE,
            f"--http: '{text}' is not an address to listen on",
            hint="write 8000, 127.0.0.1:8000 or [::1]:8000",
        )
    return Place(host.strip("[]") or _LOOPBACK, int(port))


def http_options(place: Place, variable: str, hosts: Sequence[str]) -> HttpOptions:
    """Return who may come in; the token is taken out of the environment, where tools could see it.

    Args:
        place: Where the server listens.
        variable: The variable that holds the bearer token, if there is one.
        hosts: Further names under which clients may mean it.

    Raises:
        Failure: If strangers could come in, the token can be guessed, or a name is invalid.
    """
    for host in hosts:
        if not _HOST.fullmatch(host):
            hint = "write shop.example or shop.example:8443"
            raise Failure(ExitCode.USAGE, f"--allow-host: '{host}' is not a host name", hint=hint)
    token = os.environ.pop(variable, "").strip() or None
    hint = f"set {variable} to a long random text, such as `openssl rand -hex 32` prints"
    if token is None and not place.is_private:
        message = f"other machines can reach '{place.host}', so clients must send a bearer token"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isascii()):
        raise Failure(
            ExitCode.USAGE, f"the bearer token in {variable} is too short, or is not plain ASCII text", hint=hint
        )
    return HttpOptions(place, token, hosts)


def carry_over_stdio(tools: Mapping[str, Tool], options: Options, watch: Watch | None, *, quiet: bool) -> int:
    """Serve the client that started us until it disconnects; return the exit code."""
    sink, source = console.data_descriptor(), console.take_input()
    if sink is None or source is None:
        raise Failure(
            ExitCode.USAGE, "there is no stdin and stdout to serve over", hint="serve over HTTP with --http PORT"
        )
    if not quiet:
        console.say(_served(tools, "over stdio"))
    if not quiet and os.isatty(source):
        console.say(_ALONE)

    async def work(server: "ToolServer") -> None:
        await serve_stdio(server, source, sink)

    return _until_the_end(tools, options, work, watch)


def carry_over_http(
    tools: Mapping[str, Tool], options: Options, access: HttpOptions, watch: Watch | None, *, quiet: bool
) -> int:
    """Serve all clients until somebody ends it; return the exit code."""
    from toolkit.mcp.serving import http_guard, over_http  # noqa: PLC0415 - stdio needs none of it

    with closing(_listener(access.place)) as listener:
        port = listener.getsockname()[1]
        within = http_guard.HttpAccess.at([*access.place.names, *access.hosts], port, access.token)

        def tell() -> None:
            if not quiet:
                console.say(_served(tools, f"at {access.place.url(port)}"))

        async def work(server: "ToolServer") -> None:
            await over_http.serve_http(server, listener, within, tell)

        return _until_the_end(tools, options, work, watch)


def _until_the_end(
    tools: Mapping[str, Tool],
    options: Options,
    work: "Callable[[ToolServer], Awaitable[None]]",
    watch: Watch | None,
) -> int:
    async def serve() -> None:
        server = ToolServer(tools, options)
        watching = asyncio.ensure_future(watch(server)) if watch is not None else None
        try:
            await work(server)
        finally:
            if watching is not None:
                watching.cancel()

    gc.freeze()  # what is imported stays; looking through it again and again, and at the end, takes a second
    with Interrupts() as interrupts:
        try:
            asyncio.run(serve())
        except KeyboardInterrupt:
            return interrupts.exit_code
        except BaseExceptionGroup as group:  # a second interrupt may arrive while a group of tasks is ending
            if group.subgroup(KeyboardInterrupt) is None:
                raise
            return interrupts.exit_code
    return ExitCode.WELL


def _listener(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # With the protocol set, asyncio sends what is written at once; every answer would wait for 40 ms otherwise.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((place.host, place.port))
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        message = f"cannot listen at {place.host}:{place.port}: {(error.strerror or str(error)).lower()}"
        raise Failure(ExitCode.USAGE, message, hint="choose another port; --http 0 picks a free one") from error
    return listener


def _served(tools: Mapping[str, Tool], where: str) -> str:
    shown = [*tools][:_MOST_NAMED]
    count = f"{len(tools)} tool{'' if len(tools) == 1 else 's'}"
    return f"serving {count} {where}: {', '.join(shown)}{', …' if len(tools) > len(shown) else ''}"

"""The address that a server listens on, and running a server until it is interrupted."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple

from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.watchdog import Interrupts

_LOOPBACK = "127.0.0.1"
_LAST_PORT = 65_535
_WAITING = 2_048


class Place(NamedTuple):
    """The address that a server listens on.

    Attributes:
        host: A host name or an IP address.
        port: The port; 0 for any free port.
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
        """An address that clients can connect to: the host name instead of 0.0.0.0, which only means every address."""
        is_every = self._address is not None and self._address.is_unspecified
        return self._replace(host=socket.gethostname()) if is_every else self

    def url(self, port: int) -> str:
        """Return the URL of a server at this host and a port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/mcp"

    @property
    def names(self) -> tuple[str, ...]:
        """The host names that clients may use.

        Another user of this machine can listen on the same port of another loopback address, so these are not included.
        """
        own = self.host if self._address is None else f"[{self._address}]" if ":" in self.host else str(self._address)
        if not self.is_private:
            return (own, socket.gethostname())
        return (own, "localhost", _LOOPBACK) if own in {"localhost", _LOOPBACK} else (own, "localhost")


def parse_place(text: str) -> Place:
    """Parse an address in the form `[HOST:]PORT`.

    Raises:
        Failure: If it is invalid.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _LAST_PORT or (":" in host and not host.startswith("[")):
        raise Failure(
            ExitCode.USAGE,
            f"--http: '{text}' is not an address to listen on",
            hint="write 8000, 127.0.0.1:8000 or [::1]:8000",
        )
    return Place(host.strip("[]") or _LOOPBACK, int(port))


def run_until_interrupted(serve: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """Run a server until it ends or is interrupted; return the exit code."""
    with Interrupts() as interrupts:
        try:
            asyncio.run(serve())
        except KeyboardInterrupt:
            return interrupts.exit_code
        except BaseExceptionGroup as group:  # a second interrupt may arrive while a group of tasks is ending
            if group.subgroup(KeyboardInterrupt) is None:
                raise
            return interrupts.exit_code
    return ExitCode.SUCCESS


def listening_socket(place: Place) -> socket.socket:
    """Return a socket that listens at a place.

    Raises:
        Failure: If it cannot.
    """
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # With the protocol set, asyncio sets TCP_NODELAY; otherwise every response would be delayed by 40 ms.
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

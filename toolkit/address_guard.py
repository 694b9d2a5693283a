"""Decides which addresses a tool may connect to, however a host is spelled.

A name is resolved once, all its addresses are checked, and the tool connects only to these checked addresses. So DNS
rebinding, where a second lookup returns another address, achieves nothing. Only public addresses are allowed, and
hosts that the user trusts.
"""

import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

from toolkit.hosts import TRANSLATED, ascii_host, spelled_address
from toolkit.running import in_thread

Resolver = Callable[[str, int], Iterable[str]]
"""A function that takes a host name and a port and returns the host's addresses."""

# This table adds to `ipaddress`, whose results differ between Python versions. It also refuses ranges that the
# registries call "globally reachable" but that are not hosts: relays, translators and benchmarks.
_REFUSED: Final = {
    "a loopback address": ["127.0.0.0/8", "::1/128"],
    "a private address": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10"],
    "a link-local address": ["169.254.0.0/16", "fe80::/10"],
    "a multicast address": ["224.0.0.0/4", "ff00::/8"],
    "an address of a cloud's own services": ["168.63.129.16/32"],
    "a reserved address": [
        *("0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"),
        *("::/128", "2001::/23", "2001:db8::/32", "3fff::/20"),
    ],
    "an address that contains another one": ["64:ff9b:1::/48", "2002::/16"],
}
_NOT_PUBLIC: Final = "no public address"
_PUBLIC_IPV6: Final = IPv6Network("2000::/3")
_TUNNEL_MARKS: Final = {0x00005EFE, 0x02005EFE}

_REFUSED_IPV4: Final = [
    (IPv4Network(each), why) for why, networks in _REFUSED.items() for each in networks if ":" not in each
]
_REFUSED_IPV6: Final = [
    (IPv6Network(each), why) for why, networks in _REFUSED.items() for each in networks if ":" in each
]


class RefusedHostError(Exception):
    """The guard does not allow a host; the message says why, without revealing internal addresses."""


class UnknownHostError(Exception):
    """A host has no address."""


def resolve_by_system(host: str, port: int) -> list[str]:
    """Resolve a host with the resolver of the operating system."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class AddressGuard:
    """Decides which addresses of a host may be connected to."""

    def __init__(
        self,
        private_hosts: Iterable[str] = (),
        resolve: Resolver = resolve_by_system,
        *,
        only_hosts: Iterable[str] = (),
        kinds: Iterable[str] = (),
    ) -> None:
        """Create the guard.

        Args:
            private_hosts: Trusted hosts, each as `host` or `host:port`, whose addresses are not checked.
            resolve: Resolves host names.
            only_hosts: If any are given, the only hosts that are allowed, as names or as `*.example.com` for all
                subdomains.
            kinds: Kinds of addresses that are allowed although they are not public, as `why_refused` calls them.
        """
        self._trusted = frozenset(_normal(host) for host in private_hosts)
        self._resolve = resolve
        self._only = tuple(_normal(host) for host in only_hosts)
        self._kinds = frozenset(kinds)

    async def addresses_of(self, host: str, port: int) -> list[str]:
        """Return all addresses of a host after checking them. Connect only to these, without resolving the name again.

        Args:
            host: A name in its ASCII form, or an address in any spelling, IPv6 without brackets.
            port: The port to connect to.

        Raises:
            RefusedHostError: If the host is not one of the allowed hosts, if any of its addresses is not public, or
                if it is neither a name nor an address.
            UnknownHostError: If the host has no address.
        """
        try:
            spelled = spelled_address(host)
        except ValueError:
            raise RefusedHostError(f"{host} is not an address") from None
        name = (str(spelled) if spelled is not None else host.lower()).removesuffix(".")
        if self._only and not any(_covers(pattern, name) for pattern in self._only):
            raise RefusedHostError(f"{host} is not one of the allowed hosts")
        found = [spelled] if spelled is not None else await self._look_up(host, port)
        if name not in self._trusted and _with_port(name, port) not in self._trusted:
            for address in found:
                if (why := why_refused(address)) and why not in self._kinds:
                    raise RefusedHostError(f"{host} is {why}" if spelled else f"{host} leads to {why}")
        return [str(address) for address in found]

    async def _look_up(self, host: str, port: int) -> list[IPv4Address | IPv6Address]:
        try:
            # This thread is abandoned on a timeout, since the system's lookup can take minutes.
            texts = await in_thread(lambda: list(self._resolve(host, port)))
        except (OSError, UnicodeError) as error:
            raise UnknownHostError(f"the host {host} cannot be found") from error
        if not texts:
            raise UnknownHostError(f"the host {host} cannot be found")
        try:
            return [ip_address(text) for text in texts]
        except ValueError as error:
            raise RefusedHostError(f"{host} resolves to {_NOT_PUBLIC}") from error


def host_and_port_of(url: str) -> str:
    """Return the host and port of a URL, in the form of the guard's `private_hosts`."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def kinds_of(url: str, resolve: Resolver = resolve_by_system) -> frozenset[str]:
    """Return the kinds of addresses that a URL leads to and that are not public; none if its host is not found."""
    host = urlsplit(url).hostname or ""
    try:
        found = await AddressGuard([host], resolve).addresses_of(host, 0)
    except (RefusedHostError, UnknownHostError):
        return frozenset()
    return frozenset(filter(None, (why_refused(ip_address(each)) for each in found)))


def why_refused(address: IPv4Address | IPv6Address) -> str | None:
    """Describe an address that is not public, as in "a private address", or return `None` for a public one."""
    if isinstance(address, IPv4Address):
        return _named(address, _REFUSED_IPV4) or (None if address.is_global else _NOT_PUBLIC)
    hidden = address.ipv4_mapped
    if hidden is None and address in TRANSLATED:
        hidden = IPv4Address(int(address) & 0xFFFFFFFF)
    if hidden is not None and address.scope_id is None:
        return why_refused(hidden)
    if why := _named(address, _REFUSED_IPV6):
        return why
    if int(address) >> 32 & 0xFFFFFFFF in _TUNNEL_MARKS:
        return "an address that contains another one"
    return None if address in _PUBLIC_IPV6 and address.is_global and address.scope_id is None else _NOT_PUBLIC


def _covers(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _named(address: IPv4Address | IPv6Address, table: Iterable[tuple[IPv4Network | IPv6Network, str]]) -> str | None:
    return next((why for network, why in table if address in network), None)


def _normal(host: str) -> str:
    """Normalize a host, or a host and a port, for comparison."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or not port.isdigit() or (":" in name and not name.endswith("]")):
        name, port = host.lower(), ""
    name = name.removeprefix("[").removesuffix("]").removesuffix(".")
    with suppress(ValueError):  # an invalid host is kept as it is, and matches nothing
        wildcard = "*." if name.startswith("*.") else ""
        name = wildcard + ascii_host(name.removeprefix(wildcard))
        name = str(spelled_address(name) or name)
    return _with_port(name, int(port)) if port else name


def _with_port(host: str, port: int) -> str:
    return f"{host} {port}"

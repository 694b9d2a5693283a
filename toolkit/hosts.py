"""Host names and addresses, however programs spell them.

Programs differ: some read `faß.de` by IDNA 2003 and reach fass.de, others by IDNA 2008; most resolve `127.1` or
`0x7f000001` to 127.0.0.1, and some read `010.0.0.1` as 8.0.0.1.
"""

import re
import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""Addresses that networks translate to IPv4 addresses."""

_LONGEST: Final = 1_000
_COMPATIBLE: Final = IPv6Network("::/96")
THIS_MACHINE: Final = "localhost"


def ascii_host(name: str) -> str:
    """Return a name in lower case and in its ASCII form, as the HTTP library of this program encodes it (IDNA 2008).

    Raises:
        UnicodeError: If the name has no such form.
    """
    if name.isascii():
        return name.lower()
    return _in_ascii(name.lower())


def _in_ascii(name: str, *, uts46: bool = False) -> str:
    import idna  # few names need it

    return idna.encode(name, uts46=uts46).decode("ascii")


def spelled_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address if a host is written as one, in any form that systems accept, or `None` for a name.

    A host that ends in a number is an address (`127.1`, `0x7f000001`, `017700000001`) or invalid.

    Args:
        host: A name, or an address, IPv6 without brackets.

    Raises:
        ValueError: If the host is neither a name nor an address.
    """
    if ":" in host:
        return IPv6Address(host)
    written = host.removesuffix(".")
    if not _NUMBER.fullmatch(written.rpartition(".")[2]):
        return None
    try:
        return IPv4Address(socket.inet_aton(written))
    except OSError:
        raise ValueError(f"{host} is not an address") from None


def embedded_address(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which networks translate an IPv6 address, or `None`."""
    if address in TRANSLATED or (address in _COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def without_mapping(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return an address without an IPv6 scope, and the IPv4 address if it is written as `::ffff:127.0.0.1`."""
    if isinstance(address, IPv4Address):
        return address
    return IPv6Address(int(address)) if address.ipv4_mapped is None else address.ipv4_mapped


def possible_hosts(host: str) -> frozenset[str]:
    """Return the normal forms of all hosts that programs could take a host for; none if it is not valid.

    Addresses have no brackets, and an IPv6 address that contains an IPv4 address is also that one.

    Args:
        host: A name, or an address, IPv6 without brackets.
    """
    found: set[str] = set()
    if len(host) > _LONGEST:
        return frozenset()
    for name in _possible_names(host):
        if ":" not in name and not _NAME.fullmatch(name):
            continue
        with suppress(ValueError):
            address = spelled_address(name)
            found |= {name} if address is None else _possible_addresses(name, address)
    return frozenset(found)


def _possible_names(host: str) -> set[str]:
    if host.isascii():
        return {host.lower().removesuffix(".")}
    found = set()
    for encode in (
        ascii_host,
        lambda name: name.encode("idna").decode("ascii"),
        lambda name: _in_ascii(name, uts46=True),
    ):
        with suppress(UnicodeError):
            found.add(encode(host).lower().removesuffix("."))
    return found


def _possible_addresses(written: str, address: IPv4Address | IPv6Address) -> set[str]:
    if isinstance(address, IPv6Address):
        return {str(one) for one in (without_mapping(address), embedded_address(address)) if one is not None}
    found = {str(address)}
    with suppress(ValueError):  # some programs read 010.0.0.1 as decimal numbers
        found.add(str(IPv4Address(".".join(str(int(part)) for part in written.split(".")))))
    return found


def is_this_machine(host: str) -> bool:
    """Return whether a host in its normal form is a name or an address by which every machine reaches itself."""
    if host == THIS_MACHINE or host.endswith(f".{THIS_MACHINE}"):
        return True
    with suppress(ValueError):
        address = spelled_address(host)
        return address is not None and (address.is_loopback or address.is_unspecified)
    return False

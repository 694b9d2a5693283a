"""Checks whether the host of a URL is one of some hosts; a URL that programs parse differently is in doubt."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from toolkit.approvals.fits import Fit

_HOST = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\*")
_ODD = re.compile(r"[\x00-\x20\x7f\\]")


def normal_host(text: str) -> str | None:
    """Normalize a host, or a pattern such as `*.example.com`, for comparison; return `None` if it is neither.

    A name becomes what the HTTP library would look up, and an address loses its brackets.
    """
    from toolkit.hosts import ascii_host, spelled_address, without_mapping  # noqa: PLC0415 - few rules name a host

    host = text.strip()
    wildcard = "*." if host.startswith("*.") else ""
    is_bracketed = host.startswith("[") and host.endswith("]")
    try:
        name = host[1:-1] if is_bracketed else ascii_host(host.removeprefix(wildcard)).removesuffix(".")
        address = spelled_address(name) if is_bracketed or (not wildcard and _HOST.fullmatch(name)) else None
    except ValueError:
        return None
    if address is not None or is_bracketed:
        return None if address is None else str(without_mapping(address))
    return wildcard + name if _HOST.fullmatch(wildcard + name) else None


def fits_host(url: str, hosts: Sequence[str]) -> Fit:
    """Return whether the host of a URL is one of some normalized hosts.

    It is in doubt if programs could take the host for several ones, and if it reaches this machine by another name or
    address than one of the hosts does.
    """
    if _ODD.search(url) or "@" in url.partition("://")[2].partition("/")[0]:
        return "doubt"
    try:
        parts = urlsplit(url)
        name = parts.hostname
        _ = parts.port  # raises if the port is not a number
    except ValueError:
        return "doubt"
    if not parts.scheme or not name:
        return "doubt"
    from toolkit.hosts import is_this_machine, possible_hosts  # noqa: PLC0415 - few arguments are URLs

    possible = possible_hosts(name)
    if not possible:
        return "doubt"
    covered = [any(_covers(pattern, host) for pattern in hosts) for host in possible]
    if all(covered):
        return "yes"
    is_alias = any(map(is_this_machine, possible)) and any(map(is_this_machine, hosts))
    return "doubt" if any(covered) or is_alias else "no"


def _covers(pattern: str, host: str) -> bool:
    return pattern in {"*", host} or (pattern.startswith("*.") and host.endswith(pattern[1:]))

"""Checks whether the host of a URL is one of some hosts; a URL that programs parse differently is in doubt."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from toolkit.approvals.fits import Fit, fit_of

_HOST = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\*|\[[0-9a-f:.]+\]")
_ODD = re.compile(r"[\x00-\x20\x7f\\]")


def normal_host(text: str) -> str | None:
    """Normalize a host, or a pattern such as `*.example.com`, for comparison; return `None` if it is neither."""
    host = text.strip().lower().removesuffix(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) else None


def fits_host(url: str, hosts: Sequence[str]) -> Fit:
    """Return whether the host of a URL is one of some normalized hosts."""
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
    host = normal_host(f"[{name}]" if ":" in name else name)
    return "doubt" if host is None else fit_of(any(_covers(pattern, host) for pattern in hosts))


def _covers(pattern: str, host: str) -> bool:
    return pattern in {"*", host} or (pattern.startswith("*.") and host.endswith(pattern[1:]))

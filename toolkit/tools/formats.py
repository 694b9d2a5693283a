"""Checks strings against the `format` of an input."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit
from uuid import UUID

from toolkit.regex_checks import compiles

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_HOSTNAME = re.compile(r"(?=.{1,253}\Z)(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_URI = re.compile(r"[^\s<>\"{}|\\^`]+")


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def does(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return does


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text)) and _parses(date.fromisoformat)(text)


def _is_moment(text: str) -> bool:
    return bool(_DATE.match(text)) and len(text) > len("2026-01-01") and _parses(datetime.fromisoformat)(text)


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    has_place = bool(parts.netloc) if parts.scheme in ("http", "https", "ftp") else bool(parts.netloc or parts.path)
    return bool(parts.scheme) and has_place and bool(_URI.fullmatch(text))


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_moment,
    "time": lambda text: ":" in text and _parses(time.fromisoformat)(text),
    "duration": lambda text: bool(_DURATION.fullmatch(text)),
    "email": lambda text: bool(_EMAIL.fullmatch(text)),
    "hostname": lambda text: bool(_HOSTNAME.fullmatch(text)),
    "ipv4": _parses(IPv4Address),
    "ipv6": _parses(IPv6Address),
    "regex": compiles,
    "uri": _is_uri,
    "uuid": _parses(UUID),
}


def fits(name: str, text: str) -> bool:
    """Return whether a string has a format; an unknown format accepts every string."""
    return name not in FORMATS or FORMATS[name](text)

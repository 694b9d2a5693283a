"""Compares hosts, paths, sources and plain data with the values in rules; where programs differ, they are in doubt."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from toolkit.approvals.policies import Fit, each_fits, server_of
from toolkit.approvals.text_fits import RealPath, Unreadable, folded, real_path, real_paths, spellings_of
from toolkit.schemas.validation import same_data

_HOST = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\*")
_ODD = re.compile(r"[\x00-\x20\x7f\\]")


def normal_host(text: str) -> str | None:
    """Normalize a host, or a pattern such as `*.example.com`, for comparison; return `None` if it is neither.

    A name becomes what the HTTP library would look up, and an address loses its brackets.
    """
    from toolkit.hosts import ascii_host, spelled_address, without_mapping  # few rules name a host

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
    from toolkit.hosts import is_this_machine, possible_hosts  # few arguments are URLs

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


_ELSEWHERE = re.compile(r"([a-z][a-z0-9+.-]*:)+[/\\\\]|[a-z]:|(jar|url|view-source|file):", re.IGNORECASE)
"""Texts that some programs take for a URL, or for a path on a drive."""


def inside(folders: Sequence[str]) -> Callable[[str, str | None], Fit]:
    """Return a test for whether a path is one of some folders or inside one.

    It is in doubt if programs could take the path for several ones, and if it is in such a folder only where case does
    not matter.

    Args:
        folders: The absolute paths of the folders. Links in them are resolved at each test.
    """
    return lambda path, base: _fit_of_spellings(path, base, [*map(os.path.realpath, folders)], _fit_of)


def at(places: Sequence[str]) -> Callable[[str, str | None], Fit]:
    """Return a test for whether a path leads to one of some places, following links.

    Args:
        places: The absolute paths of the places. If one is itself reached by a link, this is in doubt, since the link
            can lead somewhere else later.
    """
    return lambda path, base: _fit_of_spellings(path, base, [*map(os.path.normpath, places)], _fit_at)


def _fit_of_spellings(
    path: str, base: str | None, places: Sequence[str], fit: "Callable[[RealPath | None, Sequence[str]], Fit]"
) -> Fit:
    """Return the fit of a path in every way in which programs read it."""
    if path.startswith("~") or (os.name != "nt" and _ELSEWHERE.match(path)):
        return "doubt"
    try:
        paths = dict.fromkeys((path, *(one for same in spellings_of(path) for one in same)))
        return each_fits(fit(real_path(one, base), places) for one in paths)
    except (Unreadable, OSError, ValueError):
        return "doubt"


def _fit_at(real: RealPath | None, places: Sequence[str]) -> Fit:
    if real is None:
        return "doubt"
    if real.absolute in places:
        return "yes"
    return "doubt" if folded(real.absolute) in {folded(os.path.realpath(place)) for place in places} else "no"


def _fit_of(real: RealPath | None, folders: Sequence[str]) -> Fit:
    if real is None:
        return "doubt"
    if any(_is_beneath(real.absolute, folder) for folder in folders):
        return "yes"
    if any(_is_within(real.absolute, folder) for folder in folders):
        return "yes"
    path = folded(real.absolute)
    return "doubt" if any(_is_beneath(path, folded(folder)) for folder in folders) else "no"


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith((folder.rstrip(os.sep) + os.sep, folder.rstrip("/") + "/"))


def _is_within(path: str, folder: str) -> bool:
    """Return whether a folder holds a path under another name: in another case, or where it is mounted twice."""
    try:
        wanted = os.stat(folder)
    except (OSError, ValueError):
        return False
    while True:
        try:
            if os.path.samestat(os.stat(path), wanted):
                return True
        except (OSError, ValueError):  # it does not exist yet
            pass
        path, before = os.path.dirname(path), path
        if path == before:
            return False


_FILES = (".py", ".yaml", ".yml", ".toml")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_from(pattern: str, source: str, folder: str | None) -> bool:
    """Return whether a source, as it is written, matches a pattern, which can be a path relative to the folder."""
    beneath = None if folder is None else os.path.join(folder, "")  # to get a separator at the end
    texts = (source,) if beneath is None else (source, source.removeprefix(beneath))
    wanted = os.path.expanduser(pattern)
    if wanted.startswith(os.sep) and source.endswith(_FILES):  # the source can be relative to the working directory
        texts = (*texts, os.path.realpath(source))
    return any(fnmatchcase(text, wanted) for text in texts)


def leads_to(pattern: str, source: str, folder: str) -> bool:
    """Return whether a source could be the one that a pattern means, however both are written.

    Links are followed in both, case does not matter, and a module is the same as its file.
    """
    if is_from(pattern, source, folder):
        return True
    if server_of(source) is not None or server_of(pattern) is not None:
        return False
    files = {folded(file) for file in _files_of(source)}
    if _MODULE.fullmatch(pattern):
        path = folded(f"/{pattern.replace('.', '/')}")
        if any(file.removesuffix(".py").removesuffix("/__init__").endswith(path) for file in files):
            return True
    return any(fnmatchcase(file, wanted) for wanted in set(_wanted_files(pattern, folder)) for file in files)


def _files_of(source: str) -> Iterator[str]:
    """Yield the absolute and the real path of the file that a source is, or that a module was imported from."""
    file = source
    if not source.endswith(_FILES) and _MODULE.fullmatch(source):
        module = sys.modules.get(source)
        loaded = getattr(module, "__file__", None)
        if not isinstance(loaded, str):
            return
        file = loaded
    if "\0" not in file:
        yield from (os.path.abspath(file), os.path.realpath(file))


def _wanted_files(pattern: str, folder: str) -> Iterator[str]:
    path = os.path.abspath(os.path.join(folder, os.path.expanduser(pattern)))
    yield folded(path)
    if not any(sign in path for sign in "*?[\0"):
        yield folded(os.path.realpath(path))
    else:
        head, tail = os.path.split(path)
        if not any(sign in head for sign in "*?[\0"):
            yield folded(os.path.join(os.path.realpath(head), tail))


_WORDS = {True: {"true", "yes", "on", "1"}, False: {"false", "no", "off", "0"}, None: {"", "null", "none", "~"}}


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


def fits_value(value: Any, wanted: Any, base: str | None) -> Fit:
    """Return whether a value is the wanted one; a value that could mean the same is in doubt.

    Such values are other spellings of the same path or URL, texts in another case, and texts that stand for a number,
    for true or false, or for nothing.

    Args:
        value: The value.
        wanted: The wanted value.
        base: The folder from which relative paths start; `None` for the working directory.
    """
    if same_data(value, wanted):
        return "yes"
    return "doubt" if _is_alike(value, wanted, base) else "no"


def _is_alike(one: Any, other: Any, base: str | None) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return _are_spellings(one, other, base)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_alike(value, other[name], base) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_is_alike(*pair, base) for pair in zip(one, other, strict=True))
    if isinstance(one, str) or isinstance(other, str):
        text, data = (one, other) if isinstance(one, str) else (other, one)
        return _stands_for(text.strip().lower(), data)
    return same_data(one, other) or (_are_numbers(one, other) and one == other)


def _are_spellings(one: str, other: str, base: str | None) -> bool:
    try:
        if not _foldings(one).isdisjoint(_foldings(other)):
            return True
    except Unreadable:
        return True
    real = {folded(found.absolute) for found in real_paths(_spellings(one), base)}
    return not real.isdisjoint(folded(found.absolute) for found in real_paths(_spellings(other), base))


def _spellings(text: str) -> list[str]:
    return [text, *(one for same in spellings_of(text) for one in same)]


def _foldings(text: str) -> set[str]:
    return set(map(folded, _spellings(text)))


def _stands_for(text: str, data: Any) -> bool:
    """Return whether a text could mean a number, true or false, or nothing."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        try:
            return float(text) == data
        except (ValueError, OverflowError):
            return False
    return (data is None or isinstance(data, bool)) and text in _WORDS[data]

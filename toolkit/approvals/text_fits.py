"""Compares texts with patterns in rules, and lists what programs may make of a text."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from glob import escape
from typing import Final, NamedTuple

from toolkit.approvals.policies import Fit, any_fits, each_fits, fit_of

_MOST_ENCODINGS: Final = 4
_LONGEST_PATH: Final = 4_096
_PLAIN: Final = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*(\.[a-z0-9_-]+)*")
_WIDE_ENCODING: Final = re.compile(r"%u([0-9a-fA-F]{4})")
_WEB: Final = re.compile(r"(https?|wss?|ftp):/*([^/?#\s]+)(.*)", re.DOTALL | re.IGNORECASE)
_URL: Final = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)(.*)", re.DOTALL | re.IGNORECASE)
_FILE: Final = re.compile(r"((jar|url|view-source):)*file:(//[^/]*(?=/))?", re.IGNORECASE)
_PORT: Final = re.compile(r":[0-9]{0,9}\Z")
_USUAL_PORTS: Final = {"http": 80, "ws": 80, "ftp": 21, "https": 443, "wss": 443}
_DEVICE: Final = re.compile(r"/{2,}[?.]/(unc(?=/))?", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[a-z]:(?![/\s])", re.IGNORECASE)
_ODD: Final = re.compile(r"[\x00-\x20\x7f]")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_QUERY: Final = re.compile(r"[?#]")
_STREAM: Final = re.compile(r":[^:/]*:\$\w+")


class Unreadable(Exception):  # it says something about the text
    """Nobody can tell what a program makes of a text: it is encoded too many times, or its host has odd characters."""


class RealPath(NamedTuple):
    """The file to which a path leads.

    Attributes:
        absolute: Its path without links.
        relative: The same, relative to the folder from which the path starts.
        is_usually_absolute: Whether one would write the absolute path: it was written, or it leads out of the folder.
    """

    absolute: str
    relative: str
    is_usually_absolute: bool


def spellings_of(text: str) -> list[tuple[str, ...]]:
    """Return the other spellings of a text, without looking at files; those in one tuple have the same meaning.

    Raises:
        Unreadable: If nobody can tell what programs make of the text.
    """
    if _PLAIN.fullmatch(text):
        return []
    found = dict.fromkeys(spelling for one in _decoded(text) for spelling in _spellings_of_decoded(one))
    return [spelling for spelling in found if spelling != (text,)]


def _decoded(text: str) -> list[str]:
    """Return a text with all its percent-encodings, and then after each decoding."""
    found = [text]
    if "%" in text:
        from urllib.parse import unquote  # few arguments are encoded

        while (after := unquote(_WIDE_ENCODING.sub(lambda match: chr(int(match[1], 16)), found[-1]))) != found[-1]:
            if len(found) > _MOST_ENCODINGS:
                raise Unreadable
            found.append(after)
    return found


def _spellings_of_decoded(text: str) -> Iterator[tuple[str, ...]]:
    stripped = text.strip()
    ways = [text, stripped, stripped.replace("\\", "/")]
    if ("$" in text or stripped.startswith("~")) and len(text) <= _LONGEST_PATH:
        ways.append(os.path.expanduser(os.path.expandvars(stripped)))
    ways += [_without_device(way) for way in ways]
    if not text.isascii():
        ways += [unicodedata.normalize("NFKC", way) for way in ways]
    if not _SCHEME.match(stripped):
        ways += [before for way in ways if "/" in (before := _QUERY.split(way, maxsplit=1)[0].strip())]
    for way in dict.fromkeys(ways):
        yield (way,)
        if (file := _FILE.match(way)) is not None:
            yield (_resolved(way[file.end() :]),)
        elif (url := _WEB.fullmatch(way) or _URL.fullmatch(way)) is not None:
            yield from _spellings_of_url(*url.groups())
        else:
            yield (_resolved(way),)


def _spellings_of_url(scheme: str, place: str, rest: str) -> Iterator[tuple[str, ...]]:
    """Yield a URL with each host that programs could reach, in its normal form and without a user name."""
    from toolkit.hosts import is_this_machine, possible_hosts  # few arguments are URLs

    if _ODD.search(place):
        raise Unreadable
    scheme = scheme.lower()
    address = place.rpartition("@")[2]
    written, digits = address, ""
    if (match := _PORT.search(address)) is not None:
        written, digits = address[: match.start()], match[0][1:]
    port = f":{int(digits)}" if digits and int(digits) != _USUAL_PORTS.get(scheme) else ""
    way = _resolved(rest if rest.startswith("/") else f"/{rest}", is_url=True)
    name = written.removeprefix("[").removesuffix("]")
    for host in possible_hosts(name) or {written.lower()}:
        same = ("localhost", "127.0.0.1", "::1") if is_this_machine(host) else ()
        hosts = (f"[{one}]" if ":" in one and not one.startswith("[") else one for one in dict.fromkeys((host, *same)))
        yield tuple(f"{scheme}://{one}{port}{way}" for one in hosts)


def _resolved(path: str, *, is_url: bool = False) -> str:
    """Return a path without `.`, `..` and doubled slashes; the slashes of a URL in it stay."""
    if "/" not in path and path not in {".", ".."}:
        return path
    is_absolute = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
            elif not is_absolute:
                parts.append(part)
        elif part not in {"", "."} or (part == "" and parts and parts[-1].endswith(":")):
            parts.append(part)
    end = "/" if is_url and parts and path.endswith(("/", "/.", "/..")) else ""
    return ("/" if is_absolute else "") + "/".join(parts) + end or "."


def folded(text: str) -> str:
    """Return a text as file systems see it that ignore case, forms of characters, and blanks and dots after names."""
    if _PLAIN.fullmatch(text):
        return text
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\\", "/")
    if _URL.fullmatch(text):
        return text
    text = _without_device(_STREAM.sub("", text))
    return _resolved("/".join(_without_end(part) for part in text.split("/")))


def _without_device(path: str) -> str:
    """Return a path without a prefix for devices of Windows, and without a drive that it is relative to."""
    if (device := _DEVICE.match(path)) is not None:
        path = ("/" if device[1] else "") + path[device.end() :]
    return path if (drive := _DRIVE.match(path)) is None else path[drive.end() :]


def _without_end(part: str) -> str:
    part = part.rstrip(" ")
    return part.rstrip(". ") or part


def real_paths(texts: Iterable[str], base: str | None) -> list[RealPath]:
    """Return the files to which some texts lead that can be paths; see `real_path`."""
    found = dict.fromkeys(real_path(one, base) for one in texts)
    return [one for one in found if one is not None]


def real_path(text: str, base: str | None) -> RealPath | None:
    """Return the file to which a text leads if it is a path, or `None` if it cannot be one.

    Args:
        text: The text.
        base: The folder from which relative paths start; `None` for the working directory.
    """
    if not text or len(text) > _LONGEST_PATH or "\0" in text or _URL.match(text) or _is_network(text):
        return None
    try:
        folder = os.path.realpath(base or os.getcwd())
        absolute = os.path.realpath(os.path.join(folder, text))
        relative = os.path.relpath(absolute, folder)
    except (OSError, ValueError):
        return None
    if (same := folded(absolute)).startswith(beneath := f"{folded(folder)}/"):  # in another case, or as it is
        relative = relative if absolute.startswith(folder) else same.removeprefix(beneath)
    leads_out = relative.partition(os.sep)[0] == os.pardir
    return RealPath(absolute, relative, leads_out or os.path.isabs(text))


def _is_network(path: str) -> bool:
    """Return whether a path of Windows names another machine, which must not be asked about it."""
    return os.name == "nt" and path[:2].replace("\\", "/") == "//"


_CLIMB = re.compile(r"(?<![\w.])\.\.(?![\w.])")
_PLACE = re.compile(r"[^/?#\\]*://[^/?#\\]*")
_ESCAPED = re.compile(r"\[([*?\[\\])\]")
_NAMED_ROOT = re.compile(r"[/~][^/*?\[]*[^*?\[]")
_FOLDER = re.compile(r"([/~][^*?\[]*)/")


def fits_glob(text: str, glob: str, base: str | None = None) -> Fit:
    """Return whether a pattern matches the whole text.

    It is in doubt if the pattern matches only some of the spellings that programs take for the same path or URL, such
    as those in other cases or with links, and if the text has more `..` than the pattern. In a URL, the scheme and the
    host are also matched separately, so that a `*` in them cannot match beyond the host.

    Args:
        text: The text.
        glob: The pattern. `*` matches every text.
        base: The folder from which relative paths start; `None` for the working directory.
    """
    if text == _literal(glob) or (glob and not glob.strip("*")):
        return "yes"
    try:
        others = spellings_of(text)
        globs = _spellings_of_glob(glob)
    except Unreadable:
        return "doubt"
    fits = [_fit(text, (glob,))]
    fits += [any_fits(_fit(folded(one), globs) for one in same) for same in ((text,), *others)]
    with_real = (*globs, *_without_links(glob))
    for real in real_paths((text, *(one for same in others for one in same)), base):
        named = (folded(real.absolute),) if real.is_usually_absolute or _NAMED_ROOT.match(glob) else ()
        fits.append(any_fits(_fit(one, with_real) for one in (folded(real.relative), *named)))
    return each_fits(fits)


def fits_expression(text: str, matches: Callable[[str], bool], base: str | None = None) -> Fit:
    """Return whether a regular expression matches the whole text.

    It is in doubt if the expression matches only some of the spellings that programs take for the same path or URL, and
    if it would match the text in lower case.

    Args:
        text: The text.
        matches: Returns whether the expression matches a text.
        base: The folder from which relative paths start; `None` for the working directory.
    """
    try:
        others = spellings_of(text)
    except Unreadable:
        return "doubt"
    reals = real_paths((text, *(one for same in others for one in same)), base)
    others += [(real.absolute, real.relative) if real.is_usually_absolute else (real.relative,) for real in reals]
    found = each_fits(fit_of(any(map(matches, same))) for same in ((text,), *others))
    if found != "no":
        return found
    return "doubt" if any(matches(folded(one)) for same in ((text,), *others) for one in same) else "no"


def _literal(glob: str) -> str | None:
    """Return the only text that a pattern without wildcards matches, or `None` for another pattern."""
    text = _ESCAPED.sub(r"\1", glob)
    return text if not any(sign in _ESCAPED.sub("", glob) for sign in "*?[") else None


@lru_cache(maxsize=1_024)
def _spellings_of_glob(glob: str) -> tuple[str, ...]:
    others = (one for same in spellings_of(glob) for one in same)
    return tuple(dict.fromkeys(folded(one) for one in (glob, *others)))


def _without_links(glob: str) -> tuple[str, ...]:
    """Return an absolute pattern with the real path of the folder that it begins with, or nothing."""
    folder = _FOLDER.match(glob)
    if folder is None:
        return ()
    try:
        real = os.path.realpath(os.path.expanduser(folder[1]))
    except (OSError, ValueError):
        return ()
    return (folded(escape(real) + glob[folder.end() - 1 :]),)


def _fit(text: str, globs: Iterable[str]) -> Fit:
    """Return whether one of some patterns matches a text, exactly as it is spelled."""
    found = [glob for glob in globs if fnmatchcase(text, glob) and _is_at_the_place(text, glob)]
    if not found:
        return "no"
    return "yes" if any(_climbs(text) <= _climbs(glob) for glob in found) else "doubt"


def _climbs(text: str) -> int:
    """Count the `..` path parts of a text."""
    return len(_CLIMB.findall(text)) if ".." in text else 0


def _is_at_the_place(text: str, glob: str) -> bool:
    """Return whether scheme and host of a URL match those of a pattern that has any."""
    scheme, is_url, rest = glob.partition("://")
    if not is_url:
        return True
    place = _PLACE.match(text)
    return place is not None and fnmatchcase(place[0], f"{scheme}://{rest.partition('/')[0]}")

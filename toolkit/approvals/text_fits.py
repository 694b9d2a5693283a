"""Matches patterns against whole texts; if only some spellings of a text match, the result is `doubt`."""

import os
import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

from toolkit.approvals.fits import Fit, any_fits, each_fits, fit_of
from toolkit.approvals.spellings import Unreadable, folded, real_paths, spellings_of

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
    from glob import escape  # noqa: PLC0415 - few patterns are absolute

    try:
        real = os.path.realpath(os.path.expanduser(folder[1]))  # noqa: PTH111 - text
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

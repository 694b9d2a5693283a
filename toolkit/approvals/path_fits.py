"""Checks whether a path leads into some folders, or to a place, following links; what is not certain is in doubt."""

import os
import re
from collections.abc import Callable, Sequence

from toolkit.approvals.fits import Fit, each_fits
from toolkit.approvals.spellings import RealPath, Unreadable, folded, real_path, spellings_of

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
        wanted = os.stat(folder)  # noqa: PTH116 - text
    except (OSError, ValueError):
        return False
    while True:
        try:
            if os.path.samestat(os.stat(path), wanted):  # noqa: PTH116 - text
                return True
        except (OSError, ValueError):  # it does not exist yet
            pass
        path, before = os.path.dirname(path), path  # noqa: PTH120 - text
        if path == before:
            return False

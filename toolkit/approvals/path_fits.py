"""Checks whether a path is in some folders, following links; if this is not certain, the result is `doubt`."""

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

    def fit(path: str, base: str | None) -> Fit:
        if path.startswith("~") or (os.name != "nt" and _ELSEWHERE.match(path)):
            return "doubt"
        try:
            paths = dict.fromkeys((path, *(one for same in spellings_of(path) for one in same)))
            real_folders = [os.path.realpath(folder) for folder in folders]
        except (Unreadable, OSError, ValueError):
            return "doubt"
        return each_fits(_fit_of(real_path(one, base), real_folders) for one in paths)

    return fit


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

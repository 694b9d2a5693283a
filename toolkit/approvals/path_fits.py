"""Checks whether a path is in some folders, following links; if this is not certain, the result is `doubt`."""

import os
from collections.abc import Callable, Sequence

from toolkit.approvals.fits import Fit, fit_of


def inside(folders: Sequence[str]) -> Callable[[str, str | None], Fit]:
    """Return a test for whether a path is one of some folders or inside one.

    Args:
        folders: The absolute paths of the folders. Links in them are resolved at each test.
    """

    def fit(path: str, base: str | None) -> Fit:
        if not path or "\0" in path or path.startswith("~"):  # some tools expand `~` to the home folder
            return "doubt"
        try:
            real = os.path.realpath(os.path.join(base or os.getcwd(), path))  # noqa: PTH109, PTH118 - text
            return fit_of(any(_is_beneath(real, os.path.realpath(folder)) for folder in folders))
        except (OSError, ValueError):
            return "doubt"

    return fit


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)

"""Path fits: whether a path lies within folders, links followed. If this is not certain, it is in doubt."""

import os
from collections.abc import Callable, Sequence

from toolkit.approvals.fits import Fit, fit_of


def inside(folders: Sequence[str]) -> Callable[[str, str | None], Fit]:
    """Return the test of whether a path is one of some folders, or lies beneath one.

    Args:
        folders: The folders, as absolute paths; links in them are followed when a path is looked at.
    """

    def fit(path: str, base: str | None) -> Fit:
        if not path or "\0" in path or path.startswith("~"):  # some tools read `~` as the home folder
            return "doubt"
        try:
            real = os.path.realpath(os.path.join(base or os.getcwd(), path))  # noqa: PTH109, PTH118 - text
            return fit_of(any(_is_beneath(real, os.path.realpath(folder)) for folder in folders))
        except (OSError, ValueError):
            return "doubt"

    return fit


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)

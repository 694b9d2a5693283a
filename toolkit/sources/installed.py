"""Distinguishes the user's own files from installed ones."""

import os
import sysconfig

import toolkit

_PLACES = tuple(
    {
        os.path.join(os.path.realpath(folder), "")  # noqa: PTH118 - the separator at its end is wanted
        for folder in (
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            os.path.dirname(toolkit.__file__),  # noqa: PTH120 - it runs at every start
        )
    }
)


_FOLDERS = ("site-packages", "dist-packages")


def is_installed(file: str) -> bool:
    """Return whether a file, given by its real path, is part of Python or an installed package, or not a file."""
    return file.startswith(("<", *_PLACES)) or any(f"{os.sep}{folder}{os.sep}" in file for folder in _FOLDERS)

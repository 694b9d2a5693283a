"""Find the import root of a Python file, and its module name, by looking at the file system only."""

import os
from pathlib import Path

from toolkit.sources.boundaries import Boundary, is_outermost
from toolkit.sources.module_files import PACKAGE


def place_in_package(file: str) -> tuple[str, list[str]]:
    """Return the folder to import a file from, and the parts of its module name.

    A package does not extend beyond the root of its repository, its file system, or files of other users, because
    importing a file also runs its parent packages.
    """
    folder, base = os.path.split(file)
    names = [] if base == PACKAGE else [os.path.splitext(base)[0]]  # noqa: PTH122 - see below
    # Strings, because this runs at every start, and Path objects would take most of the time.
    while _is_package(folder):
        outer, package = os.path.split(folder)
        names.insert(0, package)
        if _ends_at(folder, file):
            return outer, names
        folder = outer
    return folder, names or [os.path.basename(folder)]  # noqa: PTH119


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, PACKAGE)) and os.path.basename(folder).isidentifier()  # noqa: PTH113, PTH118, PTH119


def _ends_at(folder: str, file: str) -> bool:
    """Return whether a folder is the outermost package of a file."""
    outer = os.path.dirname(folder)  # noqa: PTH120
    if not _is_package(outer):
        return False

    return is_outermost(Path(folder)) or not Boundary(Path(file)).believes(Path(outer, PACKAGE))

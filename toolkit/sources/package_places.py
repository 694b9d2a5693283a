"""Package places: where the imports of a Python file start from, and its name from there, read from the disk alone."""

import os
from pathlib import Path

from toolkit.sources.boundaries import Boundary, is_outermost
from toolkit.sources.module_files import PACKAGE


def place_in_package(file: str) -> tuple[str, list[str]]:
    """Return the folder that the imports of a file start from, and the names that lead from there to it.

    A package ends at the root of its repository, at its file system, and where another user's files begin: to import
    a file runs the packages above it.
    """
    folder, base = os.path.split(file)
    names = [] if base == PACKAGE else [os.path.splitext(base)[0]]  # noqa: PTH122 - see below
    # Strings, because this runs at every start and a Path a step costs more than the rest.
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
    """Return whether the package that a folder is in is no longer that of the file."""
    outer = os.path.dirname(folder)  # noqa: PTH120
    if not _is_package(outer):
        return False

    return is_outermost(Path(folder)) or not Boundary(Path(file)).believes(Path(outer, PACKAGE))

"""Boundaries: how far upwards from a folder files are believed.

What stands above the root of a repository, on another file system, or in a folder of another user was put there by
somebody else, and holds for nobody below.
"""

import os
from collections.abc import Iterator
from pathlib import Path

_REPOSITORY = ".git"
_ADMINISTRATOR = 0


class Boundary:
    """How far upwards from one folder files are believed.

    This user, the system's administrator and the owner of the folder itself are trusted.
    """

    def __init__(self, start: Path) -> None:
        """Remember who is believed."""
        self._start = start
        own = {os.getuid()} if hasattr(os, "getuid") else set[int]()
        self._owners = {*own, _ADMINISTRATOR, *_owner_of(start)}

    def folders(self) -> Iterator[Path]:
        """Yield the folder, and those above it that are believed, the nearest first."""
        folder = self._start
        yield folder
        while not is_outermost(folder) and self.believes(folder.parent):
            folder = folder.parent
            yield folder

    def believes(self, path: Path) -> bool:
        """Return whether a file or folder belongs to one of those who are believed."""
        owner = _owner_of(path)
        return bool(owner) and owner <= self._owners


def is_outermost(folder: Path) -> bool:
    """Return whether what stands above a folder belongs to another project, or to none."""
    if folder.parent == folder or os.path.lexists(folder / _REPOSITORY):
        return True
    try:
        return folder.stat().st_dev != folder.parent.stat().st_dev
    except OSError:
        return True


def _owner_of(path: Path) -> set[int]:
    """Return who owns a file or folder; nobody if that cannot be found out."""
    try:
        return {path.stat().st_uid}
    except OSError:
        return set()

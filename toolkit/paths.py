"""Shortens paths, finds the state folder, and decides how far up from a folder files are trusted.

Files above the root of a repository, on another file system or owned by another user do not belong to the project, so
they are ignored.
"""

import os
from collections.abc import Iterator
from pathlib import Path


def without_detours(path: Path) -> Path:
    """Remove every `folder/..` from a path, unless the result is another file, as it may be if `folder` is a link."""
    if ".." not in path.parts:
        return path
    plain = Path(os.path.normpath(path))
    try:
        return plain if plain.samefile(path) else path
    except OSError:
        return path


def state_folder() -> Path:
    """Return the folder for the program's data about this user, in `XDG_STATE_HOME` or `~/.local/state`."""
    named = os.environ.get("XDG_STATE_HOME", "")
    state = Path(named) if named.startswith(os.sep) else Path(os.environ.get("HOME") or os.sep) / ".local" / "state"
    return state / "toolkit"


_REPOSITORY = ".git"
_ADMINISTRATOR = 0


class Boundary:
    """The trusted folders above a start folder.

    Files of this user, of the administrator and of the owner of the start folder are trusted.
    """

    def __init__(self, start: Path) -> None:
        self._start = start
        own = {os.getuid()} if hasattr(os, "getuid") else set[int]()
        self._owners = {*own, _ADMINISTRATOR, *_owner_of(start)}

    def folders(self) -> Iterator[Path]:
        """Yield the start folder and the trusted folders above it, nearest first."""
        folder = self._start
        yield folder
        while not is_outermost(folder) and self.believes(folder.parent):
            folder = folder.parent
            yield folder

    def believes(self, path: Path) -> bool:
        """Return whether a file or folder belongs to a trusted user."""
        owner = _owner_of(path)
        return bool(owner) and owner <= self._owners


def is_outermost(folder: Path) -> bool:
    """Return whether a folder is the root of a repository or of a file system."""
    if folder.parent == folder or os.path.lexists(folder / _REPOSITORY):
        return True
    try:
        return folder.stat().st_dev != folder.parent.stat().st_dev
    except OSError:
        return True


def _owner_of(path: Path) -> set[int]:
    """Return the id of the owner of a file or folder; empty if it cannot be read."""
    try:
        return {path.stat().st_uid}
    except OSError:
        return set()

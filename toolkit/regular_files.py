"""Reads regular files of a limited size, and nothing else, so that no file can block the program or fill its memory.

A folder from someone else may contain a pipe without a writer, a link to an endless device, or a huge sparse file
under any name. Everything that the program reads on its own initiative is read here. Files that
users name as data, such as `name=@file` or the items of a batch, can be pipes.

Files above the root of a repository, on another file system or owned by another user do not belong to the project: a
`Boundary` says how far up from a folder files are trusted.
"""

import os
from collections.abc import Iterable, Iterator
from errno import EAGAIN, EFBIG, EINVAL, EISDIR
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

MOST_OF_SOURCE = 16 * 1024 * 1024
"""Maximum size of a file that is only read, in bytes."""
MOST_OF_PYTHON = 4 * 1024 * 1024
"""Maximum size of a Python file that is parsed or run, in bytes: its syntax tree takes a hundred times its size."""

# Opening a pipe without a writer would block, and a terminal would become our controlling terminal.
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def bounded_bytes(file: str | Path, *, most: int = MOST_OF_SOURCE) -> bytes:
    """Return the contents of a regular file.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or has more than `most` bytes.
        ValueError: If its name contains a null character.
    """
    with open_regular(file) as stream:
        if os.fstat(stream.fileno()).st_size > most:
            raise _too_large(file, most)
        data: bytes | None = stream.read(most + 1)
    if data is None:  # some files of /proc have no data until something happens
        raise BlockingIOError(EAGAIN, "it has no data yet", str(file))
    if len(data) > most:
        raise _too_large(file, most)
    return data


def bounded_text(file: str | Path, *, most: int = MOST_OF_SOURCE) -> str:
    """Return the text of a regular file; bytes that are not UTF-8 are replaced.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or has more than `most` bytes.
        ValueError: If its name contains a null character.
    """
    return bounded_bytes(file, most=most).decode("utf-8", "replace")


def open_regular(file: str | Path) -> BinaryIO:
    """Open a regular file to read a part of it; the caller closes it.

    Raises:
        OSError: If the file cannot be opened, or is not a regular file.
        ValueError: If its name contains a null character.
    """
    # Opening some devices has an effect, so the file is checked before it is opened, and again afterwards.
    _refuse_unless_regular(os.stat(file), file)  # noqa: PTH116 - creating Path objects is slow for thousands of files
    stream = open(file, "rb", opener=_open)  # noqa: SIM115 - only this takes an opener, and the caller closes it
    try:
        _refuse_unless_regular(os.fstat(stream.fileno()), file)
    except OSError:
        stream.close()
        raise
    return stream


def _open(file: str, flags: int) -> int:
    return os.open(file, flags | _FLAGS)


def _refuse_unless_regular(status: os.stat_result, file: str | Path) -> None:
    if S_ISDIR(status.st_mode):
        raise IsADirectoryError(EISDIR, "it is a directory", str(file))
    if not S_ISREG(status.st_mode):
        raise OSError(EINVAL, "it is not a regular file", str(file))


def _too_large(file: str | Path, most: int) -> OSError:
    return OSError(EFBIG, f"it is larger than {most:,} bytes", str(file))


def real_paths(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each path of a file with its real path; links on the way to a folder are followed once for its files."""
    folders: dict[str, str] = {}
    for path in paths:
        folder, name = os.path.split(path)
        if name == os.curdir or os.pardir in folder + name or os.path.islink(path):  # noqa: PTH114 - creating Path objects is slow
            yield path, os.path.realpath(path)
            continue
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        yield path, os.path.join(folders[folder], name)  # noqa: PTH118 - as above


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

"""Removes temporary files that were left behind by killed processes.

Each process lists its temporary files in a list file, in a private folder of the user, and keeps that file locked
while it runs. A list file without a lock belongs to a process that has ended. Only Unix has such locks.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENOSPC
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Final

from toolkit.regular_files import state_folder

_PRIVATE: Final = 0o700
_ATTEMPTS: Final = 3


class _Listed:
    """The list file of this process: created on first use, and empty while there are no temporary files."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._file: FileIO | None = None
        self._process = 0
        self._count = 0

    def add(self, path: Path) -> None:
        with self._lock:
            file, entry = self._own_file(), os.fsencode(os.path.abspath(path)) + b"\0"  # noqa: PTH100 - links stay
            before = file.tell()
            if file.write(entry) != len(entry):  # the disk is full
                file.truncate(file.seek(before))
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            self._count += 1

    def _own_file(self) -> FileIO:
        """Return the list file of this process; a forked process gets a new one."""
        if self._file is not None and self._process == os.getpid():
            return self._file
        if self._file is None:
            atexit.register(self.close)
        else:
            self._file.close()
        self._file, self._process, self._count = _new_list(), os.getpid(), 0
        return self._file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def remove_one(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._file is not None:
                self._file.seek(0)
                self._file.truncate()


_LISTED: Final = _Listed()


@contextmanager
def temporary(path: Path) -> Iterator[None]:
    """Register a file or a folder that exists only within this block, so that it is removed even if we are killed.

    The next process removes it then. Nothing is registered if that is impossible, as in a read-only home directory.
    """
    is_listed = False
    with suppress(OSError, ImportError):
        _LISTED.add(path)
        is_listed = True
    try:
        yield
    finally:
        if is_listed:
            with suppress(OSError):
                _LISTED.remove_one()


def remove_leftovers() -> None:
    """Remove the temporary files of killed processes."""
    folder = _folder()
    with suppress(OSError, ImportError):
        if _is_ours(folder):
            for file in folder.iterdir():
                with suppress(OSError):
                    _remove_if_abandoned(file)


def _folder() -> Path:
    return state_folder() / "leftovers"


def _is_ours(folder: Path) -> bool:
    """Return whether only this user can write the list files, since every path in them is deleted."""
    if not hasattr(os, "geteuid"):
        return False
    status = folder.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022 and not folder.is_symlink()


def _new_list() -> FileIO:
    """Create and lock a list file; until it is locked, another process can remove it, so there are several attempts."""
    folder = _folder()
    folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    if not _is_ours(folder):
        raise PermissionError
    for _ in range(_ATTEMPTS):
        file = (folder / os.urandom(8).hex()).open("xb", buffering=0)
        if _lock(file) and os.fstat(file.fileno()).st_nlink:
            return file
        file.close()
    raise PermissionError


def _lock(file: FileIO | BinaryIO) -> bool:
    from fcntl import LOCK_EX, LOCK_NB, flock  # only Unix has it

    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_if_abandoned(file: Path) -> None:
    with file.open("rb") as listed:
        if _lock(listed):
            *paths, _incomplete = listed.read().split(b"\0")
            for path in filter(None, paths):
                _remove(Path(os.fsdecode(path)))
            file.unlink()


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            from shutil import rmtree

            rmtree(path)
        else:
            path.unlink()

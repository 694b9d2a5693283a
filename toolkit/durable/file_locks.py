"""Byte locks in a file next to an SQLite store, which the system releases when their process ends."""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from toolkit.errors import ConfigurationError

_PRIVATE_FILE: Final = 0o600
_OPENING: Final = 0
"""The byte that a process locks while it opens the store; the numbers of processes start at 1."""
_OPEN: Final[dict[str, int]] = {}
"""File descriptors of open lock files. They are never closed: closing one would release all locks of the process."""
_THREADS: Final = threading.Lock()
"""Held together with a byte lock, which excludes other processes but not other threads of this one."""


class FileLocks:
    """Numbered locks, each a byte of a file next to the store. They work on one machine only."""

    def __init__(self, store: Path) -> None:
        """Open the lock file.

        Args:
            store: The file of the store.

        Raises:
            ConfigurationError: If the system does not support such locks.
            OSError: If the lock file cannot be opened.
        """
        if not _has_locks():
            raise ConfigurationError("an SQLite store needs byte locks, which this system lacks: use PostgreSQL")
        self._file = _file_of(store)

    def take(self, number: int) -> bool:
        """Try to acquire a lock, and return whether this process holds it."""
        from fcntl import LOCK_EX, LOCK_NB, lockf  # exists on Unix only

        try:
            lockf(self._file, LOCK_EX | LOCK_NB, 1, number)
        except OSError:
            return False
        return True

    def release(self, number: int) -> None:
        from fcntl import LOCK_UN, lockf

        lockf(self._file, LOCK_UN, 1, number)

    def check(self) -> None:
        """Do nothing: file locks cannot be lost while the process lives."""

    def close(self) -> None:
        """Do nothing: closing the file would release other locks of this process."""


def opening(store: Path | None) -> AbstractContextManager[None]:
    """Return a context manager that keeps other processes from opening the same store file.

    Without it, the first processes would create tables and change the journal mode at the same time, for which SQLite
    reports "database is locked" regardless of the timeout.

    Args:
        store: The file of the store, or `None` for a server, which needs no lock.
    """
    return nullcontext() if store is None or not _has_locks() else _alone(store)


@contextmanager
def _alone(store: Path) -> Iterator[None]:
    from fcntl import LOCK_EX, LOCK_UN, lockf

    with _THREADS:
        file = _file_of(store)
        lockf(file, LOCK_EX, 1, _OPENING)
        try:
            yield
        finally:
            lockf(file, LOCK_UN, 1, _OPENING)


def _has_locks() -> bool:
    return find_spec("fcntl") is not None


def _file_of(store: Path) -> int:
    name = f"{store}.locks"
    if name not in _OPEN:
        _OPEN[name] = os.open(name, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
    return _OPEN[name]

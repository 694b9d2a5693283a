"""Locks of bytes in a file beside a store, which the system gives back when their process ends; on one machine only."""

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
"""The byte whose lock a process holds while it opens the store; processes have numbers from 1."""
_OPEN: Final[dict[str, int]] = {}
"""The files of locks that are open: a process that closes one gives back all its locks in it, also those of others."""
_THREADS: Final = threading.Lock()
"""Held beside the lock of a byte, which keeps out other processes, but no thread of this one."""


class FileLocks:
    """Locks by number, in the file of a store."""

    def __init__(self, store: Path) -> None:
        """Open the file that holds them.

        Args:
            store: The file of the store.

        Raises:
            ConfigurationError: If the system has no such locks.
            OSError: If the file cannot be opened.
        """
        if not _has_locks():
            raise ConfigurationError("this system has no locks that end with their process: use a store of PostgreSQL")
        self._file = _file_of(store)

    def take(self, number: int) -> bool:
        """Return whether this process holds a lock, now or from before."""
        from fcntl import LOCK_EX, LOCK_NB, lockf  # noqa: PLC0415 - only Unix has it

        try:
            lockf(self._file, LOCK_EX | LOCK_NB, 1, number)
        except OSError:
            return False
        return True

    def give_back(self, number: int) -> None:
        from fcntl import LOCK_UN, lockf  # noqa: PLC0415 - as above

        lockf(self._file, LOCK_UN, 1, number)

    def check(self) -> None:
        """Do nothing: no file loses its locks while its process lives."""

    def close(self) -> None:
        """Do nothing: other locks of this process may be in the file."""


def opening(store: Path | None) -> AbstractContextManager[None]:
    """Return a context within which no other process opens a store in a file.

    The first ones would otherwise make its tables and change how it writes at the same time, which SQLite answers with
    "database is locked", however long they are willing to wait.

    Args:
        store: The file of the store; `None` of a server, which looks after that itself.
    """
    return nullcontext() if store is None or not _has_locks() else _alone(store)


@contextmanager
def _alone(store: Path) -> Iterator[None]:
    from fcntl import LOCK_EX, LOCK_UN, lockf  # noqa: PLC0415 - as above

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

"""Byte locks in a file next to an SQLite file, which the system releases when their process ends."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, lockf
except ImportError:  # only Unix has it
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

_PRIVATE_FILE: Final = 0o600
_OPENING: Final = 0
"""The byte that a process locks while it opens the SQLite file; the numbers of runs and processes start at 1."""
_OPEN: Final[dict[str, "FileLocks"]] = {}
"""The open lock files. They are never closed: closing one would release all locks of the process in it."""
_THREADS: Final = threading.Lock()
"""Held together with the lock for opening, which excludes other processes but not other threads of this one."""


class FileLocks:
    """Numbered locks, each a byte of a file. They work on one machine only. Without system support, all are free."""

    def __init__(self, file: Path) -> None:
        """Open the lock file. Use `locks_beside` instead."""
        self._file = os.open(file, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
        self._held: set[int] = set()

    def take(self, number: int) -> bool:
        """Try to acquire a lock, and return whether this process holds it."""
        if HAS_LOCKS:
            try:
                lockf(self._file, LOCK_EX | LOCK_NB, 1, number)
            except OSError:
                return False
            self._held.add(number)
        return True

    def is_held(self, number: int) -> bool:
        """Return whether any process holds a lock, including this one."""
        if number in self._held:
            return True
        if not self.take(number):
            return True
        self.release(number)
        return False

    def release(self, number: int) -> None:
        """Release a lock, if this process holds it."""
        self._held.discard(number)
        if HAS_LOCKS:
            lockf(self._file, LOCK_UN, 1, number)

    def check(self) -> None:
        """Do nothing: file locks cannot be lost while the process lives."""

    def close(self) -> None:
        """Do nothing: closing the file would release other locks of this process."""

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Keep other processes from opening the same SQLite file.

        Without it, the first processes would create tables and change the journal mode at the same time, for which
        SQLite reports "database is locked" regardless of the timeout.
        """
        with _THREADS:
            if HAS_LOCKS:
                lockf(self._file, LOCK_EX, 1, _OPENING)
            try:
                yield
            finally:
                self.release(_OPENING)


def locks_beside(file: Path) -> FileLocks:
    """Return the locks next to an SQLite file; all users of this process share them.

    Raises:
        OSError: If the lock file cannot be opened.
    """
    name = f"{file}.locks"
    if name not in _OPEN:
        _OPEN[name] = FileLocks(Path(name))
    return _OPEN[name]

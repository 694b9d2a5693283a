"""Locks that the system releases when their process ends: bytes of a file beside an SQLite file, or of PostgreSQL."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, lockf
except ImportError:  # only Unix has it
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

LOCKS: Final = 0x746F6F6C
"""The first key of our PostgreSQL advisory locks."""
_PRIVATE_FILE: Final = 0o600
_OPENING: Final = 0
"""The byte that a process locks while it opens the SQLite file; the numbers of runs and processes start at 1."""
_OPEN: Final[dict[str, "FileLocks"]] = {}
"""The open lock files. They are never closed: closing one would release all locks of the process in it."""
_THREADS: Final = threading.Lock()
"""Held together with the lock for opening, which excludes other processes but not other threads of this one."""


class Locks(Protocol):
    """Numbered locks, which the system releases when their process ends for any reason."""

    def take(self, number: int) -> bool:
        """Try to acquire a lock, and return whether this process holds it."""

    def is_held(self, number: int) -> bool:
        """Return whether any process holds a lock, including this one."""

    def release(self, number: int) -> None:
        """Release a lock, if this process holds it."""

    def check(self) -> None:
        """Find out whether the locks of this process have been lost with its connection."""

    def close(self) -> None:
        """Release all locks that no other user of this process shares."""


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


class ServerLocks:
    """Advisory locks of PostgreSQL, held by one connection."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._guard = threading.RLock()
        self._held: set[int] = set()

    def take(self, number: int) -> bool:
        with self._guard:
            if number not in self._held and self._ask("pg_try_advisory_lock", number):
                self._held.add(number)
            return number in self._held

    def is_held(self, number: int) -> bool:
        with self._guard:
            if number in self._held or not self.take(number):
                return True
            self.release(number)
            return False

    def release(self, number: int) -> None:
        with self._guard:
            self._held.discard(number)
            self._ask("pg_advisory_unlock", number)

    def check(self) -> None:
        with self._guard:
            self._ask("pg_backend_pid")

    def _ask(self, function: str, *numbers: int) -> Any:
        """Call a PostgreSQL function; if the connection was lost, all its locks were released with it."""
        from sqlalchemy import text

        if self._connection is None:
            self._held.clear()
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        arguments = ", ".join(map(str, (LOCKS, *numbers))) if numbers else ""
        try:
            return self._connection.execute(text(f"SELECT {function}({arguments})")).scalar_one()
        except Exception:
            connection, self._connection = self._connection, None
            self._held.clear()
            connection.invalidate()
            connection.close()
            raise

    def close(self) -> None:
        with self._guard:
            if self._connection is not None:
                self._connection.invalidate()  # only a closed session releases its locks; a pooled one would keep them
                self._connection.close()
                self._connection = None

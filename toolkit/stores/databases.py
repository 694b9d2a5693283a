"""The SQLite database behind a journal, with errors that name the file."""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from toolkit.replacing import followed
from toolkit.runs.records import JournalError
from toolkit.stores.file_locks import locks_beside

_WAIT_FOR_OTHERS: Final = 120.0
_ATTEMPTS: Final = 200
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


class Database:
    """An open SQLite file that only its owner can read.

    Attributes:
        path: The path of the file.
        connection: The open connection. Several threads can use it, but not at the same time.
        locks: The locks of runs, by their numbers.
    """

    def __init__(self, path: Path, schema: str) -> None:
        """Open the database, or create it.

        Raises:
            JournalError: If it cannot be opened or created.
        """
        self.path = path
        with self.storage_errors("open"):
            path = followed(path)
            path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE))
            self.locks = locks_beside(path)
            self.connection = sqlite3.connect(
                path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            with self.locks.opening():
                self._write_ahead()
                self.connection.execute("PRAGMA synchronous = NORMAL")
                self.connection.execute("PRAGMA foreign_keys = ON")
                self.connection.executescript(f"BEGIN IMMEDIATE;{schema}COMMIT;")

    def _write_ahead(self) -> None:
        """Switch to write-ahead logging, so that readers and writers do not block each other.

        While another process does the same, the database is locked; wait for it.
        """
        for attempt in range(_ATTEMPTS):
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or attempt + 1 == _ATTEMPTS:
                    raise
                time.sleep(0.05)
            else:
                return

    @contextmanager
    def storage_errors(self, what: str) -> Iterator[None]:
        """Turn storage errors into a JournalError that names the file.

        Raises:
            JournalError: If an OSError or SQLite error was raised.
        """
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise self._failure(what, error) from error

    def write(self, statement: str, values: Mapping[str, object]) -> None:
        """Execute one statement in its own transaction.

        Raises:
            JournalError: If the database cannot be written.
        """
        try:
            self.connection.execute(statement, values)
        except (OSError, sqlite3.Error) as error:
            raise self._failure("write", error) from error

    def _failure(self, what: str, error: Exception) -> JournalError:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return JournalError(f"cannot {what} the journal '{self.path}': {reason.lower()}")

    def close(self) -> None:
        self.connection.close()


def compact_file(file: Path) -> int:
    """Return the free pages of an SQLite file to the file system, and the number of bytes by which it has shrunk.

    Other processes wait meanwhile, and lose nothing.

    Raises:
        OSError: If the file cannot be read.
        sqlite3.Error: If there is no room for the copy that this needs, or another process does not let go of the file.
    """
    before = _size(file)
    with closing(sqlite3.connect(file, timeout=_WAIT_FOR_OTHERS, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return max(before - _size(file), 0)


def _size(file: Path) -> int:
    beside = (file, file.with_name(f"{file.name}-wal"))
    return sum(one.stat().st_size for one in beside if one.exists())

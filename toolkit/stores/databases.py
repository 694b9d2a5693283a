"""The database of recorded runs, how its URL is written, and its driver for the SQLite file of one user."""

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.replacing import followed
from toolkit.runs.records import JournalError
from toolkit.stores.locks import Locks, locks_beside
from toolkit.stores.tables import Done, Execute, are_of_this_version, make_tables

T = TypeVar("T")

_WAIT_FOR_OTHERS: Final = 120.0
_ATTEMPTS: Final = 200
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_FORMER_TABLES: Final = ("runs",)
_NOTHING: Final[Mapping[str, object]] = {}


class Database(Protocol):
    """A database with the tables of recorded runs. Thread-safe. Every method raises JournalError if it fails.

    Statements are the same for all databases, with named values such as `:run`.

    Attributes:
        shown: Its name for messages.
        locks: Numbered locks, which the system releases when their process ends.
        row_lock: What locks the rows of a SELECT until the end of the transaction, if that is not locked as a whole.
        share_lock: What keeps others from changing the rows of a SELECT until then.
    """

    shown: str
    locks: Locks
    row_lock: str
    share_lock: str

    def read(self, statement: str, values: Mapping[str, object] = _NOTHING) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a SELECT statement, by column."""

    def write(self, statement: str, values: Mapping[str, object] = _NOTHING) -> int:
        """Execute one statement in its own transaction, and return the number of rows that it changed."""

    def transaction(self, work: Callable[[Execute], T]) -> T:
        """Return the result of `work`, which executes its statements in a single transaction."""

    def attempt(self, what: str, work: Callable[[], T]) -> T:
        """Return the result of `work`; `what` says what it does to the database: `read` or `write`."""

    def now(self, execute: Execute) -> float:
        """Return the time of the clock that all users of the database share, in seconds since 1970."""

    def compact(self) -> int:
        """Free the space of deleted rows, and return by how many bytes the file has shrunk; 0 for a server."""

    def close(self) -> None:
        """Close all connections."""


def is_alive(database: Database, process: int) -> bool:
    """Return whether a registered process is alive, which may be this one.

    Raises:
        JournalError: If the database cannot be read.
    """
    return database.attempt("read", lambda: database.locks.is_held(process))


def of_another_version(what: str, way_out: str) -> ConfigurationError:
    """Return the error for a database that this version of the program cannot read."""
    hint = f"finish its runs with that version, or {way_out}"
    problem = Problem("", f"{what} was written by another version of toolkit, and is left as it is", hint=hint)
    return ConfigurationError(problems=[problem])


class FileDatabase:
    """An open SQLite file that only its owner can read.

    Attributes:
        path: The path of the file.
        shown: Its name for messages.
        locks: The locks of processes, by their numbers.
    """

    row_lock = share_lock = ""

    def __init__(self, path: Path) -> None:
        """Open the database, or create it.

        Raises:
            ConfigurationError: If it was written by another version of this program.
            JournalError: If it cannot be opened or created.
        """
        self.path, self.shown = path, str(path)
        self._guard = threading.RLock()
        with self._storage_errors("open"):
            path = followed(path)
            path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE))
            self.locks: Locks = locks_beside(path)
            self._connection = sqlite3.connect(
                path, timeout=_WAIT_FOR_OTHERS, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            with locks_beside(path).opening():
                self._prepare()

    def _prepare(self) -> None:
        """Check the tables before anything is changed, and create the missing ones.

        Raises:
            ConfigurationError: If another version of this program created them.
        """
        if not are_of_this_version(self._execute, "sqlite", former=_FORMER_TABLES):
            self.close()
            raise of_another_version(f"the journal '{self.path}'", "move the file away")
        self._write_ahead()
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self.transaction(lambda execute: make_tables(execute, "sqlite"))

    def _write_ahead(self) -> None:
        """Switch to write-ahead logging, so that readers and writers do not block each other.

        While another process does the same, the database is locked; wait for it.
        """
        for attempt in range(_ATTEMPTS):
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or attempt + 1 == _ATTEMPTS:
                    raise
                time.sleep(0.05)
            else:
                return

    def read(self, statement: str, values: Mapping[str, object] = _NOTHING) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a SELECT statement, by column.

        Raises:
            JournalError: If the file cannot be read.
        """
        with self._storage_errors("read"):
            with self._guard:
                rows = self._connection.execute(statement, values)
            for row in rows:  # noqa: UP028 - it would close the cursor, which fails once the database is closed
                yield row

    def write(self, statement: str, values: Mapping[str, object] = _NOTHING) -> int:
        """Execute one statement in its own transaction, and return the number of rows that it changed.

        Raises:
            JournalError: If the file cannot be written.
        """
        with self._guard:
            try:
                return self._connection.execute(statement, values).rowcount
            except (OSError, sqlite3.Error) as error:
                raise self._failure("write", error) from error

    def transaction(self, work: Callable[[Execute], T]) -> T:
        """Return the result of `work`, which executes its statements in a single transaction.

        Raises:
            JournalError: If the file cannot be written.
        """
        with self._guard, self._storage_errors("write"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(self._execute)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled it back already
                    self._connection.execute("ROLLBACK")
                raise
            return result

    def _execute(self, statement: str, values: Mapping[str, object] = _NOTHING) -> Done:
        done = self._connection.execute(statement, values)
        return Done(done.fetchall(), done.rowcount)

    def attempt(self, what: str, work: Callable[[], T]) -> T:
        """Return the result of `work`; `what` says what it does to the database: `read` or `write`.

        Raises:
            JournalError: If it fails.
        """
        with self._storage_errors(what):
            return work()

    def now(self, execute: Execute) -> float:
        """Return the current time, in seconds since 1970."""
        return time.time()

    @contextmanager
    def _storage_errors(self, what: str) -> Iterator[None]:
        """Turn storage errors into a JournalError that names the file.

        Raises:
            JournalError: If an OSError or SQLite error was raised.
        """
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise self._failure(what, error) from error

    def _failure(self, what: str, error: Exception) -> JournalError:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return JournalError(f"cannot {what} the journal '{self.path}': {reason.lower()}")

    def compact(self) -> int:
        """Free the space of deleted rows, and return by how many bytes the file has shrunk.

        Raises:
            JournalError: If the file cannot be written, for example because the disk has no room for a copy of it.
        """
        return self.attempt("write", lambda: compact_file(self.path))

    def close(self) -> None:
        self._connection.close()


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


_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")
_EXAMPLES: Final = "sqlite:///runs.db, or postgresql://user@host/database"


class StoreUrl(NamedTuple):
    """The URL of a store.

    Attributes:
        text: The full URL, which may contain a password and is never shown.
        shown: The URL without its password, for messages.
        secrets: The password, and other parts of the URL that are never shown.
        file: The SQLite file, or `None` for a server.
    """

    text: str
    shown: str
    secrets: tuple[str, ...] = ()
    file: Path | None = None

    def __repr__(self) -> str:
        """Return the URL without its password."""
        return f"StoreUrl({self.shown!r})"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the URL of a store.

        Args:
            text: `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`. The password can also be set in
                the environment variable `PGPASSWORD` or in `~/.pgpass`.

        Raises:
            ConfigurationError: If the text is neither.
        """
        if text.startswith(_SQLITE) and text.removeprefix(_SQLITE).partition("?")[0] not in ("", ":memory:"):
            file = Path(text.removeprefix(_SQLITE)).absolute()
            return cls(f"{_SQLITE}{file}", f"{_SQLITE}{file}", file=file)
        if _POSTGRES.match(text):
            return cls._server(_POSTGRES.sub("postgresql://", text, count=1))
        scheme = text.partition(":")[0]
        message = f"a store cannot be a '{scheme}'" if "://" in text else "the store is not a URL"
        if text.startswith("sqlite:"):
            message = "the URL of a store in a file begins with 'sqlite:///', and then names the file"
        raise ConfigurationError(problems=[Problem("", message, hint=f"write {_EXAMPLES}")])

    @classmethod
    def _server(cls, text: str) -> Self:
        try:
            parts = urlsplit(text)
            password, database = parts.password, parts.path.strip("/")
            _ = parts.port  # raises ValueError if it is not a number
        except ValueError as error:
            raise ConfigurationError(problems=[Problem("", "the URL of the store cannot be read")]) from error
        if not database:
            raise ConfigurationError(problems=[Problem("", "the URL names no database", hint=f"write {_EXAMPLES}")])
        options = parse_qsl(parts.query)
        hidden = [value for name, value in options if "password" in name.lower()]
        secrets = tuple(filter(None, [password, password and unquote(password), *hidden]))
        user, _, host = parts.netloc.rpartition("@")
        netloc = f"{user.partition(':')[0]}@{host}" if user else host
        return cls(text, urlunsplit((parts.scheme, netloc, parts.path, "", "")), tuple(dict.fromkeys(secrets)))

"""Connections to a store, retries while its server is unavailable, and error messages.

Importing this module raises ConfigurationError if the extra `durable` is not installed.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from toolkit.errors import not_installed
from toolkit.replacing import followed
from toolkit.runs.records import JournalError
from toolkit.stores.databases import StoreUrl, compact_file, of_another_version
from toolkit.stores.locks import LOCKS, Locks, ServerLocks, locks_beside
from toolkit.stores.tables import Done, Execute, Kind, are_of_this_version, make_tables

try:
    import dbos  # noqa: F401 - the other modules of a store need it
    from psycopg import Error as ServerError
    from sqlalchemy import Engine, create_engine, event, make_url, text
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
except ImportError as error:
    raise not_installed("a store needs", "toolkit-cli[durable]") from error

T = TypeVar("T")

PATIENCE: Final = 60.0
"""Seconds to keep retrying when the connection to the database server is lost."""

_POOL: Final = 4
"""Maximum number of connections of a process, each opened when first needed. Twenty processes can share a PostgreSQL
with default settings, and SQLite has few page caches. One connection holds locks, and the engine may hold another."""
_STATEMENTS: Final = 32
"""Size of the statement cache of an SQLite connection. Queries for many items differ by the number of items, so with
tens of thousands of items a larger cache would only grow without being reused."""
_CONNECT_SECONDS: Final = 10
_WAIT_FOR_OTHERS: Final = 120
_POOLED: Final[dict[str, Any]] = {
    "pool_size": _POOL,
    "max_overflow": 0,
    "pool_timeout": _WAIT_FOR_OTHERS,
    "hide_parameters": True,
}
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


class StoreError(JournalError):
    """Raised if a store cannot be reached, read or written. The run ends, and no item is marked as failed."""


def connect(url: StoreUrl) -> Engine:
    """Return a connection pool for a store. A missing SQLite file is created, readable only by its owner.

    Raises:
        StoreError: If the file cannot be created.
    """
    if url.file is not None:
        with storage_errors(url, "open"):
            file = followed(url.file)
            file.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE))
        address = make_url(url.text).update_query_dict({"timeout": str(_WAIT_FOR_OTHERS)})
        engine = create_engine(address, connect_args={"cached_statements": _STATEMENTS}, **_POOLED)
        _prepare_files(engine)
        return engine
    address = make_url(url.text).set(drivername="postgresql+psycopg")
    if "connect_timeout" not in address.query:
        address = address.update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})
    return create_engine(address, pool_pre_ping=True, **_POOLED)


def _vacuum(engine: Engine) -> None:
    """Make the space of deleted rows in a PostgreSQL store available again.

    Raises:
        SQLAlchemyError: If the server fails.
    """
    ours = "(schemaname = 'dbos' OR tablename LIKE 'toolkit!_%' ESCAPE '!') AND tableowner = current_user"
    names = f"SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE {ours}"  # noqa: S608 - our own words
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for name in list(connection.execute(text(names)).scalars()):
            connection.execute(text(f"VACUUM {name}"))


def _prepare_files(engine: Engine) -> None:
    """Make each connection use write-ahead logging and begin its transactions with a write lock."""

    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", prepare)


@contextmanager
def storage_errors(url: StoreUrl, what: str) -> Iterator[None]:
    """Convert errors within the block to a `StoreError` that names the store, without its password.

    Raises:
        StoreError: If the block raises `OSError`, `SQLAlchemyError` or an SQLite error.
    """
    try:
        yield
    except (OSError, sqlite3.Error, SQLAlchemyError) as error:
        raise StoreError(f"cannot {what} the store '{url.shown}': {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """Return the first line of a database error's own message, without SQL statements and their values."""
    own = getattr(error, "orig", None) or error
    words = (own.strerror if isinstance(own, OSError) else None) or str(own) or type(own).__name__
    return words.strip().partition("\n")[0].lower()


def is_away(error: BaseException | None) -> bool:
    """Return whether the error means that a database server is unavailable, perhaps only for a while."""
    if not isinstance(error, DBAPIError):
        return False
    is_server = isinstance(error.orig, ServerError)
    # Errors that PostgreSQL itself reports have a code: 53100 is a full disk, 57P01 to 57P03 are shutdowns.
    code = getattr(error.orig, "sqlstate", None)
    has_gone = code is None or code.startswith(("08", "57P"))
    return is_server and isinstance(error, InterfaceError | OperationalError) and has_gone


def patiently(work: Callable[[], T], patience: float = PATIENCE) -> T:
    """Call `work`, and retry for up to `patience` seconds while the server is unavailable.

    Raises:
        SQLAlchemyError: If the server stays unavailable, or `work` fails for another reason.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not is_away(error) or time.monotonic() > until:
                raise
        time.sleep(0.5)


_NOTHING: Final[Mapping[str, object]] = {}


class EngineDatabase:
    """The database of a store: an SQLite file or a PostgreSQL server, reached as the engine reaches it. Thread-safe.

    Attributes:
        engine: The connection pool.
        url: The URL of the store.
        shown: The URL without its password.
        locks: The locks of processes, by their numbers.
        row_lock: What locks the rows of a SELECT; an SQLite file is locked as a whole.
        share_lock: What keeps others from changing them.
    """

    def __init__(self, url: StoreUrl) -> None:
        """Prepare the connections; the first one is made when it is needed.

        Raises:
            StoreError: If an SQLite file cannot be created.
        """
        self.url, self.shown = url, url.shown
        self.engine = connect(url)
        with storage_errors(url, "open"):
            self.locks: Locks = ServerLocks(self.engine) if url.file is None else locks_beside(url.file)
        self._kind: Kind = "postgresql" if url.file is None else "sqlite"
        self.row_lock, self.share_lock = (" FOR UPDATE", " FOR SHARE") if self._is_server else ("", "")
        self._has_given_up = False

    @property
    def _is_server(self) -> bool:
        return self._kind == "postgresql"

    def check_version(self) -> None:
        """Check that the tables of the store, if it has any, are those of this version.

        Raises:
            ConfigurationError: If they are not.
            SQLAlchemyError: If the store cannot be read.
        """
        if not self._within_transaction(lambda execute: are_of_this_version(execute, self._kind)):
            raise of_another_version(f"the store '{self.shown}'", "use another store")

    def make_tables(self) -> None:
        """Create the missing tables.

        Raises:
            SQLAlchemyError: If a table cannot be created.
        """

        def make(execute: Execute) -> None:
            if self._is_server:  # two processes cannot create the same table at the same time
                execute(f"SELECT pg_advisory_xact_lock({LOCKS}, 0)")
            make_tables(execute, self._kind)

        self._within_transaction(make)

    def read(self, statement: str, values: Mapping[str, object] = _NOTHING) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a SELECT statement, by column.

        Raises:
            StoreError: If the store cannot be read.
        """
        yield from self.attempt(
            "read", lambda: self._within_transaction(lambda execute: execute(statement, values))
        ).rows

    def write(self, statement: str, values: Mapping[str, object] = _NOTHING) -> int:
        """Execute one statement in its own transaction, and return the number of rows that it changed.

        Raises:
            StoreError: If the store cannot be written.
        """
        return self.transaction(lambda execute: execute(statement, values)).changed

    def transaction(self, work: Callable[[Execute], T]) -> T:
        """Return the result of `work`, which executes its statements in a single transaction.

        Raises:
            StoreError: If the store cannot be written.
        """
        return self.attempt("write", lambda: self._within_transaction(work))

    def attempt(self, what: str, work: Callable[[], T]) -> T:
        """Return the result of `work`, with retries while the server is unavailable.

        Args:
            what: What `work` does to the store, for error messages: `read` or `write`.
            work: What to do.

        Raises:
            StoreError: If the store fails.
        """
        with storage_errors(self.url, what):
            try:
                return patiently(work, 0.0 if self._has_given_up else PATIENCE)
            except Exception as error:
                self._has_given_up = self._has_given_up or is_away(error)
                raise

    def now(self, execute: Execute) -> float:
        """Return the time of the clock that all workers share: the server's or the machine's."""
        if not self._is_server:
            return time.time()
        clock = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION) AS now"
        now: float = execute(clock).rows[0]["now"]
        return now

    def _within_transaction(self, work: Callable[[Execute], T]) -> T:
        with self.engine.begin() as connection:

            def execute(statement: str, values: Mapping[str, object] = _NOTHING) -> Done:
                result = connection.execute(text(statement), values)
                return Done([*result.mappings()] if result.returns_rows else [], result.rowcount)

            return work(execute)

    def compact(self) -> int:
        """Free the space of deleted rows, and return by how many bytes the file has shrunk; 0 for a server.

        Raises:
            StoreError: If the store cannot be written.
        """
        with storage_errors(self.url, "write"):
            if self.url.file is not None:
                return compact_file(self.url.file)
            _vacuum(self.engine)
        return 0

    def close(self) -> None:
        """Close all connections, which releases the locks of a server."""
        self.locks.close()
        self.engine.dispose()


class EngineLog(logging.Handler):
    """Receives the engine's log records. None is printed; store errors are passed on."""

    def __init__(self, fail: Callable[[BaseException], None] | None = None) -> None:
        """Become the only handler of the engine's logger.

        Args:
            fail: Called with each store error that the engine logs.
        """
        super().__init__(logging.WARNING)
        self._fail = fail
        logger = logging.getLogger("dbos")
        logger.propagate = False
        logger.handlers[:] = [self]

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a store error on; an unavailable server is ignored here, because the calls to it are retried."""
        error = record.exc_info[1] if record.exc_info else None
        if self._fail is not None and record.levelno >= logging.ERROR and error is not None and not is_away(error):
            self._fail(error)


APPLICATION: Final = "toolkit"
"""Our application name in the engine's tables, so that other programs can use the same database."""
WORKFLOW: Final = "toolkit.item"
SCHEDULED: Final = "toolkit.schedule"
POLLING: Final = 0.05
"""Polling interval of the queues in seconds."""


def queue_of(tool: str) -> str:
    """Return the name of the queue that holds the items of a tool."""
    return f"tool:{tool}"


def schedules_of(tool: str) -> str:
    """Return the name of the queue for scheduled runs of a tool."""
    return f"schedules:{tool}"

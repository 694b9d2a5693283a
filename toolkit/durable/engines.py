"""Engines: the connections to a store, and the message where it fails."""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolkit.durable.store_urls import StoreUrl
from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install
from toolkit.runs.journal import JournalError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

T = TypeVar("T")

PATIENCE: Final = 60.0
"""Seconds that a server which cannot be reached is waited for, once it was there."""

_POOL: Final = 4
"""Connections that a process opens at most, each when it is first needed: twenty processes share a PostgreSQL as it is
installed, and few connections keep few caches of an SQLite file. One holds locks, and the engine may hold another."""
_STATEMENTS: Final = 32
"""Statements that a connection to a file keeps compiled. Those that ask about many items differ with their number, so
that more than these would grow for tens of thousands of items, and be of no use."""
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
    """A store cannot be reached, read or written: the run ends, and nothing of it is marked as failed."""


def need_engine() -> None:
    """Refuse to go on where the extra `durable` is not installed.

    Raises:
        ConfigurationError: If it is not.
    """
    try:
        import dbos  # noqa: F401 - only runs with a store need it
    except ImportError as error:
        message = f"a store needs the extra 'durable': {how_to_install('toolkit-cli[durable]')}"
        raise ConfigurationError(message) from error


def connect(url: StoreUrl) -> "Engine":
    """Return connections to a store; a file that is not there is made, and only its owner can read it.

    Raises:
        StoreError: If the file cannot be made.
    """
    from sqlalchemy import create_engine, make_url

    if url.file is not None:
        with storage_errors(url, "open"):
            url.file.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            os.close(os.open(url.file, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE))
        address = make_url(url.text).update_query_dict({"timeout": str(_WAIT_FOR_OTHERS)})
        engine = create_engine(address, connect_args={"cached_statements": _STATEMENTS}, **_POOLED)
        _prepare_files(engine)
        return engine
    address = make_url(url.text).set(drivername="postgresql+psycopg")
    if "connect_timeout" not in address.query:
        address = address.update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})
    return create_engine(address, pool_pre_ping=True, **_POOLED)


def _prepare_files(engine: "Engine") -> None:
    """Let each connection write ahead, and begin transactions as writers."""
    from sqlalchemy import event

    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", prepare)


@contextmanager
def storage_errors(url: StoreUrl, what: str) -> Iterator[None]:
    """Say which store it is that cannot be opened, read or written, without its password.

    Raises:
        StoreError: Instead of what was raised.
    """
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (OSError, SQLAlchemyError) as error:
        raise StoreError(f"cannot {what} the store '{url.shown}': {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """Return why a database failed, in its own words and on one line, without statements and their values."""
    own = getattr(error, "orig", None) or error
    words = (own.strerror if isinstance(own, OSError) else None) or str(own) or type(own).__name__
    return words.strip().partition("\n")[0].lower()


def is_away(error: BaseException | None) -> bool:
    """Return whether a server could not be reached, or went away, and may come back."""
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

    if not isinstance(error, DBAPIError):
        return False
    from psycopg import Error  # noqa: PLC0415 - as above

    is_server = isinstance(error.orig, Error)
    # What PostgreSQL itself complains of has a code: a full disk is 53100, a shutdown 57P01 to 57P03.
    code = getattr(error.orig, "sqlstate", None)
    has_gone = code is None or code.startswith(("08", "57P"))
    return is_server and isinstance(error, InterfaceError | OperationalError) and has_gone


def patiently(work: Callable[[], T]) -> T:
    """Do work again while a server is away, for a while.

    Raises:
        SQLAlchemyError: If it does not come back, or something else is wrong.
    """
    from sqlalchemy.exc import SQLAlchemyError

    until = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not is_away(error) or time.monotonic() > until:
                raise
        time.sleep(0.5)


def transacted(engine: "Engine", url: StoreUrl, what: str, work: Callable[["Connection"], T]) -> T:
    """Return what work comes to in one transaction; what goes wrong is named for what it does: `read` or `write`.

    Raises:
        StoreError: If the store fails.
    """

    def once() -> T:
        with engine.begin() as connection:
            return work(connection)

    return attempted(url, what, once)


def attempted(url: StoreUrl, what: str, work: Callable[[], T]) -> T:
    """Return what work comes to, done again while the server is away; what goes wrong is named for what it does.

    Raises:
        StoreError: If the store fails.
    """
    with storage_errors(url, what):
        return patiently(work)


class EngineLog(logging.Handler):
    """Receives what the engine logs: nothing of it is shown, and an error of the store is passed on."""

    def __init__(self, fail: Callable[[BaseException], None] | None = None) -> None:
        """Listen to the engine, in place of the previous listener.

        Args:
            fail: Receives the errors that the engine meets in the store.
        """
        super().__init__(logging.WARNING)
        self._fail = fail
        logger = logging.getLogger("dbos")
        logger.propagate = False
        logger.handlers[:] = [self]

    def emit(self, record: logging.LogRecord) -> None:
        """Pass an error of the store on; a server that is away is waited for elsewhere."""
        error = record.exc_info[1] if record.exc_info else None
        if self._fail is not None and record.levelno >= logging.ERROR and error is not None and not is_away(error):
            self._fail(error)

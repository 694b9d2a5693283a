"""Which processes use a store. Each holds a lock that the system releases when the process dies."""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, Engine, delete, insert, select, text, update

from toolkit.errors import ConfigurationError
from toolkit.stores.engines import StoreError
from toolkit.stores.file_locks import HAS_LOCKS, locks_beside
from toolkit.stores.store_tables import LOCKS, PROCESSES
from toolkit.stores.store_urls import StoreUrl


class Present(NamedTuple):
    """A process that has registered with a store.

    Attributes:
        number: Its number in the store.
        executor: The engine's name for it.
        machine: Host name of its machine.
        process: Its process ID on that machine.
        jobs: How many items it runs in parallel; 0 if it is not a worker.
        tools: The versions of the tools that it can run, separated by spaces.
    """

    number: int
    executor: str
    machine: str
    process: int
    jobs: int
    tools: str


class _Locks(Protocol):
    """Numbered locks, which the system releases when their process ends for any reason."""

    def take(self, number: int) -> bool: ...

    def is_held(self, number: int) -> bool: ...

    def release(self, number: int) -> None: ...

    def check(self) -> None: ...

    def close(self) -> None: ...


class Presence:
    """The registration of this process with a store.

    Attributes:
        number: Number of this process. Other processes adopt its work when the lock with this number is free.
        executor: The engine's name for this process.
    """

    def __init__(self, engine: Engine, url: StoreUrl, *, jobs: int = 0, tools: str = "") -> None:
        """Register this process with the store.

        Args:
            engine: The connection pool of the store.
            url: The URL of the store.
            jobs: How many items this process runs in parallel.
            tools: The versions of the tools that it can run, separated by spaces.

        Raises:
            ConfigurationError: If the system does not support the file locks of an SQLite store.
            SQLAlchemyError: If writing to the store fails.
            OSError: If the lock file cannot be opened.
        """
        if url.file is not None and not HAS_LOCKS:
            raise ConfigurationError("an SQLite store needs byte locks, which this system lacks: use PostgreSQL")
        self._engine, self._url = engine, url
        self._locks: _Locks = _ServerLocks(engine) if url.file is None else locks_beside(url.file)
        self.executor = f"{socket.gethostname()}-{os.getpid()}-{os.urandom(4).hex()}"
        row = {"executor": self.executor, "machine": socket.gethostname(), "process": os.getpid(), "jobs": jobs}
        with engine.begin() as connection:
            # Other processes cannot see the row before the lock is held.
            done = connection.execute(
                insert(PROCESSES).values(**row, tools=tools, seen=time.time()).returning(PROCESSES.c.number)
            )
            self.number: int = done.scalar_one()
            self._locks.take(self.number)

    def check(self) -> None:
        """Update the time when this process was last seen.

        Raises:
            StoreError: If other processes took over its work because they considered it dead.
            SQLAlchemyError: If writing to the store fails.
        """
        self._locks.check()
        statement = update(PROCESSES).where(PROCESSES.c.number == self.number).values(seen=time.time())
        with self._engine.begin() as connection:
            is_there = connection.execute(statement).rowcount == 1
        if not is_there or not self._locks.take(self.number):
            shown = self._url.shown
            message = (
                f"other processes took over the work of this one while it was disconnected from the store '{shown}'"
            )
            raise StoreError(message)

    def others(self) -> list[Present]:
        """Return the other processes that are registered with the store, including any that died since.

        Raises:
            SQLAlchemyError: If reading the store fails.
        """
        return [one for one in known_processes(self._engine) if one.number != self.number]

    def is_alive(self, number: int) -> bool:
        """Return whether a process is alive.

        Raises:
            SQLAlchemyError: If reading the store fails.
        """
        return number == self.number or self._locks.is_held(number)

    def lock_if_dead(self, number: int) -> bool:
        """Return whether a process has died. If so, the caller now holds its lock and has to clean up after it."""
        return number != self.number and self._locks.take(number)

    def forget(self, number: int) -> None:
        """Delete the registration of a dead process after cleaning up.

        Raises:
            SQLAlchemyError: If writing to the store fails.
        """
        with self._engine.begin() as connection:
            connection.execute(delete(PROCESSES).where(PROCESSES.c.number == number))
        self._locks.release(number)

    def leave(self) -> None:
        """Unregister this process. If that fails, other processes find that its lock is free."""
        from sqlalchemy.exc import SQLAlchemyError

        with suppress(SQLAlchemyError, OSError):
            self.forget(self.number)
        self._locks.close()


def known_processes(engine: Engine) -> list[Present]:
    """Return all processes that are registered with a store.

    Raises:
        SQLAlchemyError: If reading the store fails.
    """
    columns = [PROCESSES.c[name] for name in Present._fields]
    with engine.connect() as connection:
        return [Present(*row) for row in connection.execute(select(*columns).order_by(PROCESSES.c.number))]


class _ServerLocks:
    """Advisory locks of PostgreSQL, held by one connection."""

    def __init__(self, engine: Engine) -> None:
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

"""Presences: which processes are there, known by a lock that each holds, and the system gives back when it dies."""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, Engine, delete, insert, select, text, update

from toolkit.durable.engines import StoreError
from toolkit.durable.file_locks import FileLocks
from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.tables import LOCKS, PROCESSES


class Present(NamedTuple):
    """A process that has registered with a store.

    Attributes:
        number: Its number.
        executor: What the engine calls it.
        machine: Where it runs.
        process: Its id there.
        jobs: How many items it does side by side; 0 of one that does none.
        tools: The versions of the tools that it can do, with a space between them.
    """

    number: int
    executor: str
    machine: str
    process: int
    jobs: int
    tools: str


class _Locks(Protocol):
    """Locks by number: one that is held is given back when its process ends, however it ends."""

    def take(self, number: int) -> bool: ...

    def give_back(self, number: int) -> None: ...

    def check(self) -> None: ...

    def close(self) -> None: ...


class Presence:
    """This process, among those that use a store.

    Attributes:
        number: Its number; what it works on is adopted by others once nobody holds the lock of that number.
        executor: What the engine calls it.
    """

    def __init__(self, engine: Engine, url: StoreUrl, *, jobs: int = 0, tools: str = "") -> None:
        """Register this process with the store.

        Args:
            engine: The connections to the store.
            url: Where it is.
            jobs: How many items it does side by side.
            tools: The versions of the tools that it can do.

        Raises:
            ConfigurationError: If the system has no such locks for a file.
            SQLAlchemyError: If the store cannot be written.
            OSError: If the file of the locks cannot.
        """
        self._engine, self._url = engine, url
        self._locks: _Locks = _ServerLocks(engine) if url.file is None else FileLocks(url.file)
        self.executor = f"{socket.gethostname()}-{os.getpid()}-{os.urandom(4).hex()}"
        row = {"executor": self.executor, "machine": socket.gethostname(), "process": os.getpid(), "jobs": jobs}
        with engine.begin() as connection:
            # Nobody sees the row before the lock is held.
            done = connection.execute(
                insert(PROCESSES).values(**row, tools=tools, seen=time.time()).returning(PROCESSES.c.number)
            )
            self.number: int = done.scalar_one()
            self._locks.take(self.number)

    def check(self) -> None:
        """Write that this process is still there.

        Raises:
            StoreError: If others have taken over its work, since it was away for them.
            SQLAlchemyError: If the store cannot be written.
        """
        self._locks.check()
        statement = update(PROCESSES).where(PROCESSES.c.number == self.number).values(seen=time.time())
        with self._engine.begin() as connection:
            is_there = connection.execute(statement).rowcount == 1
        if not is_there or not self._locks.take(self.number):
            message = f"others have taken over the work of this process, which the store '{self._url.shown}' had lost"
            raise StoreError(message)

    def others(self) -> list[Present]:
        """Return the other processes that are registered with the store; some may have died since.

        Raises:
            SQLAlchemyError: If the store cannot be read.
        """
        return [one for one in known_processes(self._engine) if one.number != self.number]

    def is_alive(self, number: int) -> bool:
        """Return whether a process is there.

        Raises:
            SQLAlchemyError: If the store cannot be read.
        """
        if number == self.number:
            return True
        if not self._locks.take(number):
            return True
        self._locks.give_back(number)
        return False

    def take_place_of(self, number: int) -> bool:
        """Return whether a process has died; the caller is then the only one to clean up after it."""
        return number != self.number and self._locks.take(number)

    def forget(self, number: int) -> None:
        """Forget a process that has died, after cleaning up.

        Raises:
            SQLAlchemyError: If the store cannot be written.
        """
        with self._engine.begin() as connection:
            connection.execute(delete(PROCESSES).where(PROCESSES.c.number == number))
        self._locks.give_back(number)

    def leave(self) -> None:
        """Unregister this process; without that, others find out that it has gone."""
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - beside its use

        with suppress(SQLAlchemyError, OSError):
            self.forget(self.number)
        self._locks.close()


def known_processes(engine: Engine) -> list[Present]:
    """Return the processes that have registered with a store.

    Raises:
        SQLAlchemyError: If the store cannot be read.
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

    def give_back(self, number: int) -> None:
        with self._guard:
            self._held.discard(number)
            self._ask("pg_advisory_unlock", number)

    def check(self) -> None:
        with self._guard:
            self._ask("pg_backend_pid")

    def _ask(self, function: str, *numbers: int) -> Any:
        """Call a function; a connection that has gone took all locks with it."""
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
                self._connection.invalidate()  # a session that ends gives its locks back; one in the pool does not
                self._connection.close()
                self._connection = None

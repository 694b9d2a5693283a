"""Which processes use a database of runs. Each holds a lock that the system releases when the process dies."""

import os
import socket
import time
from contextlib import suppress
from typing import NamedTuple

from toolkit.runs.records import JournalError
from toolkit.stores.databases import Database
from toolkit.stores.tables import Execute


class Present(NamedTuple):
    """A registered process.

    Attributes:
        number: Its number in the database.
        executor: The engine's name for it.
        machine: Host name of its machine.
        process: Its process ID on that machine.
        jobs: How many items it runs in parallel; 0 if it is not a worker, and -1 if others take over its work.
        tools: The versions of the tools that it can run, separated by spaces.
    """

    number: int
    executor: str
    machine: str
    process: int
    jobs: int
    tools: str

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine."""
        return self.machine == socket.gethostname()


_JOIN = (
    "INSERT INTO toolkit_processes (executor, machine, process, jobs, tools, seen)"
    " VALUES (:executor, :machine, :process, :jobs, :tools, :seen) RETURNING number"
)
_SEE = "UPDATE toolkit_processes SET seen = :seen WHERE number = :number AND jobs >= 0"
_EXPEL = "UPDATE toolkit_processes SET jobs = -1 WHERE number = :number"
_FORGET = "DELETE FROM toolkit_processes WHERE number = :number"


class Presence:
    """The registration of this process with a database of runs.

    Attributes:
        number: Number of this process. Other processes adopt its work when the lock with this number is free.
        executor: The engine's name for this process.
        has_work: Whether it takes items from queues, which others have to take over if it ends before they do.
    """

    has_work = False

    def __init__(self, database: Database, *, jobs: int = 0, tools: str = "") -> None:
        """Register this process.

        Args:
            database: The database of runs.
            jobs: How many items this process runs in parallel.
            tools: The versions of the tools that it can run, separated by spaces.

        Raises:
            JournalError: If the database cannot be written.
        """
        self._database = database
        machine = socket.gethostname()
        self.executor = f"{machine}-{os.getpid()}-{os.urandom(4).hex()}"
        row = {"executor": self.executor, "machine": machine, "process": os.getpid(), "jobs": jobs, "tools": tools}

        def write(execute: Execute) -> int:
            number: int = execute(_JOIN, row | {"seen": time.time()}).rows[0]["number"]
            database.locks.take(number)  # before other processes can see the row
            return number

        self.number = database.transaction(write)

    def check(self) -> None:
        """Update the time when this process was last seen.

        Raises:
            JournalError: If other processes took over its work because they considered it dead, or the database cannot
                be written.
        """
        self._database.attempt("read", self._database.locks.check)
        is_there = self._database.write(_SEE, {"seen": time.time(), "number": self.number}) == 1
        if not is_there or not self._take(self.number):
            where = f"the store '{self._database.shown}'"
            message = f"other processes took over the work of this one while it was disconnected from {where}"
            raise JournalError(message)

    def others(self) -> list[Present]:
        """Return the other processes that are registered, including any that died since.

        Raises:
            JournalError: If the database cannot be read.
        """
        return [one for one in known_processes(self._database) if one.number != self.number]

    def lock_if_dead(self, number: int) -> bool:
        """Return whether a process has died. If so, the caller now holds its lock and has to clean up after it.

        If it has only lost its connection, it can record no more steps.

        Raises:
            JournalError: If the database cannot be used.
        """
        if number == self.number or not self._take(number):
            return False
        self._database.write(_EXPEL, {"number": number})
        return True

    def forget(self, number: int) -> None:
        """Delete the registration of a dead process after cleaning up.

        Raises:
            JournalError: If the database cannot be written.
        """
        self._database.write(_FORGET, {"number": number})
        self._database.attempt("write", lambda: self._database.locks.release(number))

    def leave(self) -> None:
        """Unregister this process, or let others do it after they have taken over its unfinished work."""
        try:
            if not self.has_work:
                self._database.write(_FORGET, {"number": self.number})
        except JournalError:
            pass  # others find that its lock is free
        with suppress(Exception):  # a lost connection has released it already
            self._database.locks.release(self.number)

    def _take(self, number: int) -> bool:
        return self._database.attempt("read", lambda: self._database.locks.take(number))


def known_processes(database: Database) -> list[Present]:
    """Return all registered processes.

    Raises:
        JournalError: If the database cannot be read.
    """
    wanted = f"SELECT {', '.join(Present._fields)} FROM toolkit_processes ORDER BY number"  # noqa: S608 - our own names
    return [Present(*(row[name] for name in Present._fields)) for row in database.read(wanted)]

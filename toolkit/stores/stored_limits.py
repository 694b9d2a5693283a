"""Limits of tools that apply to the calls of all workers of a store."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Event
from typing import Final

from toolkit.stores.databases import Database
from toolkit.stores.run_journals import Lost
from toolkit.stores.tables import Execute
from toolkit.tools.calls.call_limits import Limit, Release

_MOST_AHEAD: Final = 64
_WEIGHT: Final = 0.1


class Stopped(BaseException):
    """Raised if the worker stops. The outcome of the item is not stored; another worker, or this one later, runs it."""


class Permits:
    """Permits that the threads of a worker acquire before they run an item."""

    def __init__(self, jobs: int, polling: float) -> None:
        """Create the permits, all of them free.

        Args:
            jobs: Maximum number of items to run in parallel.
            polling: Polling interval of the queues in seconds.
        """
        self._jobs, self._polling = jobs, polling
        self._free = jobs
        self._seconds: float | None = None
        self._is_over = False
        self._moved = threading.Condition()
        self._own = threading.local()

    def room(self, limited: bool) -> int:  # noqa: FBT001 - the only argument
        """Return the maximum number of items to fetch, which is more than run in parallel if items are short.

        Args:
            limited: Whether the queue has a limit across all workers; items that wait here would count towards it.
        """
        with self._moved:
            if self._is_over:
                return 0
            if limited or self._seconds is None:
                return self._jobs
            ahead = self._jobs * self._polling / max(self._seconds, 1e-6)
            return self._jobs + min(int(ahead), self._jobs * _MOST_AHEAD)

    def take(self) -> None:
        """Wait for a permit for the item of this thread.

        Raises:
            Stopped: If the worker stops while waiting.
        """
        with self._moved:
            while not self._free and not self._is_over:
                self._moved.wait()
            if self._is_over:
                raise Stopped
            self._free -= 1
        self._own.began = time.perf_counter()

    def release(self) -> None:
        """Release the permit of this thread, if it has one: the outcome of its item has been stored or discarded."""
        began, self._own.began = getattr(self._own, "began", None), None
        if began is None:
            return
        seconds = time.perf_counter() - began
        with self._moved:
            before = seconds if self._seconds is None else self._seconds
            self._seconds = before + (seconds - before) * _WEIGHT
            self._free += 1
            self._moved.notify_all()

    def end(self) -> None:
        """Stop granting permits."""
        with self._moved:
            self._is_over = True
            self._moved.notify_all()

    def wait_for_all(self, seconds: float) -> bool:
        """Wait for at most `seconds` until all permits are free; return whether they are."""
        with self._moved:
            return self._moved.wait_for(lambda: self._free == self._jobs, seconds)


_ID_BYTES: Final = 12
_IS_THERE: Final = "process IN (SELECT number FROM toolkit_processes)"
"""A condition for the calls of processes that are still registered."""
_FORGET_OLD: Final = (
    f"DELETE FROM toolkit_turns WHERE tool = :tool AND (id = :turn OR NOT ((ended IS NULL AND {_IS_THERE}) OR began >"  # noqa: S608 - our own names
    " :now - coalesce((SELECT seconds FROM toolkit_limits WHERE tool = :tool), 0)))"
)
_RUNNING: Final = f"SELECT count(*) AS running FROM toolkit_turns WHERE tool = :tool AND ended IS NULL AND {_IS_THERE}"  # noqa: S608 - as above
_FIRST: Final = (
    "SELECT began FROM toolkit_turns WHERE tool = :tool AND began > :since ORDER BY began DESC LIMIT 1 OFFSET :rank"
)
_BEGIN: Final = (
    "INSERT INTO toolkit_turns (id, tool, process, began, ended) VALUES (:id, :tool, :process, :began, :ended)"
)
_KEEP: Final = (
    "INSERT INTO toolkit_limits (tool, concurrency, rate, seconds) VALUES (:tool, :concurrency, :rate, :seconds)"
)


class StoredLimits:
    """A `Limiter` for the calls of all workers of a store."""

    def __init__(self, database: Database, process: Callable[[], int]) -> None:
        """Use an open store.

        Args:
            database: The database of the store.
            process: Returns the registered number of this process; its calls stop counting when it dies.
        """
        self._database, self._process = database, process
        self._bounded: frozenset[str] = frozenset()
        self._is_over = Event()

    def keep(self, limits: Mapping[str, Limit], tools: Iterable[str]) -> None:
        """Replace the limits of some tools.

        Args:
            limits: The new limits, by tool name.
            tools: Names of tools whose limits are removed unless they are in `limits`.

        Raises:
            StoreError: If writing to the store fails.
        """

        def write(execute: Execute) -> None:
            for tool in sorted({*limits, *tools}):
                execute("DELETE FROM toolkit_limits WHERE tool = :tool", {"tool": tool})
            for tool, limit in limits.items():
                execute(_KEEP, {"tool": tool, **limit._asdict()})

        self._database.transaction(write)

    def refresh(self) -> None:
        """Reload which tools have limits.

        Raises:
            StoreError: If reading the store fails.
        """
        self._bounded = frozenset(row["tool"] for row in self._database.read("SELECT tool FROM toolkit_limits"))

    def end(self) -> None:
        """Let no more calls begin, because the worker stops."""
        self._is_over.set()

    def bounds(self, tool: str) -> bool:
        """Return whether a tool has a limit."""
        return tool in self._bounded

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        """Begin a call, or return the minimum time in seconds to wait before trying again; see `Limiter`.

        Raises:
            StoreError: If the store fails.
            Lost: If the worker stops.
        """
        if self._is_over.is_set():
            raise Lost("the worker stops")
        turn = os.urandom(_ID_BYTES).hex()
        wait = self._database.transaction(lambda execute: self._begin(execute, tool, turn, again=again))
        return partial(self._give_back, turn) if wait is None else wait

    def _begin(self, execute: Execute, tool: str, turn: str, *, again: bool) -> float | None:
        """Record the beginning of a call, or return the minimum time in seconds until it can begin."""
        # Calls that no longer count, and a record of this one whose confirmation was lost. This write also locks an
        # SQLite file for the rest of the transaction.
        execute(_FORGET_OLD, {"tool": tool, "turn": turn, "now": self._database.now(execute)})
        wanted = f"SELECT concurrency, rate, seconds FROM toolkit_limits WHERE tool = :tool{self._database.row_lock}"  # noqa: S608 - our own names
        limit = next((Limit(**row) for row in execute(wanted, {"tool": tool}).rows), Limit())
        now = self._database.now(execute)
        if limit.rate is not None:
            since = {"tool": tool, "since": now - limit.seconds, "rank": limit.rate - 1}
            for row in execute(_FIRST, since).rows:
                return max(row["began"] + limit.seconds - now, 0.0)
        if not again and limit.concurrency is not None:
            running: int = execute(_RUNNING, {"tool": tool}).rows[0]["running"]
            if running >= limit.concurrency:
                return 0.0
        row = {"id": turn, "tool": tool, "process": self._process(), "began": now, "ended": now if again else None}
        execute(_BEGIN, row)
        return None

    def _give_back(self, turn: str) -> None:
        def write(execute: Execute) -> None:
            ended = self._database.now(execute)
            execute("UPDATE toolkit_turns SET ended = :ended WHERE id = :id", {"ended": ended, "id": turn})

        self._database.transaction(write)

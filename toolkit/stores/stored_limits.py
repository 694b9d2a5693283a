"""Limits of tools that apply to the calls of all workers of a store."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Event
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Float,
    cast,
    delete,
    extract,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from toolkit.stores.engines import transacted
from toolkit.stores.store_tables import LIMITS, PROCESSES, TURNS
from toolkit.stores.store_urls import StoreUrl
from toolkit.stores.workflow_journals import Lost
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


class StoredLimits:
    """A `Limiter` for the calls of all workers of a store."""

    def __init__(self, engine: Engine, url: StoreUrl, process: Callable[[], int]) -> None:
        """Use an open store.

        Args:
            engine: The connection pool of the store.
            url: The URL of the store.
            process: Returns the registered number of this process; its calls stop counting when it dies.
        """
        self._engine, self._process = engine, process
        self._do = partial(transacted, engine, url, "write")
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
        rows = [{"tool": tool, **limit._asdict()} for tool, limit in limits.items()]

        def write(connection: Connection) -> None:
            connection.execute(delete(LIMITS).where(LIMITS.c.tool.in_({*limits, *tools})))
            if rows:
                connection.execute(insert(LIMITS), rows)

        self._do(write)

    def refresh(self) -> None:
        """Reload which tools have limits.

        Raises:
            SQLAlchemyError: If reading the store fails.
        """
        with self._engine.connect() as connection:
            self._bounded = frozenset(connection.execute(select(LIMITS.c.tool)).scalars())

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
            raise Lost(Stopped())
        turn = os.urandom(_ID_BYTES).hex()
        wait = self._do(lambda connection: self._begin(connection, tool, turn, again=again))
        return partial(self._give_back, turn) if wait is None else wait

    def _begin(self, connection: Connection, tool: str, turn: str, *, again: bool) -> float | None:
        """Record the beginning of a call, or return the minimum time in seconds until it can begin."""
        self._forget_old(connection, tool, turn)
        row = connection.execute(select(LIMITS).where(LIMITS.c.tool == tool).with_for_update()).one_or_none()
        limit = Limit() if row is None else Limit(row.concurrency, row.rate, row.seconds)
        now: float = connection.execute(select(self._now)).scalar_one()
        if limit.rate is not None:
            own = select(TURNS.c.began).where(TURNS.c.tool == tool, TURNS.c.began > now - limit.seconds)
            first = connection.execute(own.order_by(TURNS.c.began.desc()).offset(limit.rate - 1).limit(1)).scalar()
            if first is not None:
                return max(first + limit.seconds - now, 0.0)
        if not again and limit.concurrency is not None and self._running(connection, tool) >= limit.concurrency:
            return 0.0
        ended = now if again else None
        connection.execute(insert(TURNS).values(id=turn, tool=tool, process=self._process(), began=now, ended=ended))
        return None

    def _forget_old(self, connection: Connection, tool: str, turn: str) -> None:
        """Delete calls that no longer count, and a record of this one whose confirmation was lost.

        This write also locks an SQLite file for the rest of the transaction.
        """
        seconds = select(LIMITS.c.seconds).where(LIMITS.c.tool == tool).scalar_subquery()
        counts = (TURNS.c.ended.is_(None) & _is_there()) | (TURNS.c.began > self._now - func.coalesce(seconds, 0.0))
        connection.execute(delete(TURNS).where(TURNS.c.tool == tool, or_(TURNS.c.id == turn, ~counts)))

    def _running(self, connection: Connection, tool: str) -> int:
        own = TURNS.c.ended.is_(None) & (TURNS.c.tool == tool)
        return connection.execute(select(func.count()).select_from(TURNS).where(own, _is_there())).scalar_one()

    def _give_back(self, turn: str) -> None:
        ends = update(TURNS).where(TURNS.c.id == turn).values(ended=self._now)
        self._do(lambda connection: connection.execute(ends))

    @property
    def _now(self) -> ColumnElement[float]:
        """The current time of the clock that all workers share: the database server's or the machine's."""
        if self._engine.dialect.name == "postgresql":
            return cast(extract("epoch", func.clock_timestamp()), Float)
        return literal(time.time(), Float)


def _is_there() -> Any:
    """Return the SQL condition that the process of a call is still registered."""
    return TURNS.c.process.in_(select(PROCESSES.c.number))

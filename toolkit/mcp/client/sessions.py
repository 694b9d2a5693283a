"""One session for each server and caller identity, all in an event loop in a background thread.

So a session outlives the event loops of its callers, synchronous code and code in any loop share it, and cancelling a
call cancels it on the server. A server is contacted when first needed. After a failure it is tried again the next time,
and restarted if it has died.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from toolkit.mcp.client.connections import Connection
from toolkit.mcp.client.transports import values_for
from toolkit.mcp.settings.servers import McpServer

T = TypeVar("T")

MOST_CONNECTIONS = 64
"""Maximum number of open connections; the least recently used idle one is closed to make room."""

_CLOSING_SECONDS = 8.0


class _Engine:
    """The event loop of all sessions, and the connections that live in it."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.connections: dict[tuple[Any, ...], Connection] = {}
        self.leaving: set[Future[None]] = set()
        threading.Thread(target=self._run, name="toolkit-mcp", daemon=True).start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


_lock = threading.Lock()
_engine: _Engine | None = None


def _the_engine() -> _Engine:
    global _engine  # noqa: PLW0603 - one per process, created when first needed
    with _lock:
        if _engine is None or _engine.process != os.getpid():  # threads do not survive a fork
            if _engine is None:
                atexit.register(close_sessions)
            _engine = _Engine()
        return _engine


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the event loop of the sessions, and block until it is done; Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(work, _the_engine().loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def reach(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the event loop of the sessions, and await its result; cancelling this cancels it."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _the_engine().loop))


def connection_to(server: McpServer, values: Mapping[str, Any] | None = None) -> "Connection":
    """Return the connection to a server for a caller, without opening it; the same caller gets the same connection.

    Args:
        server: The server.
        values: The values of the caller's context, which the server's headers can refer to.

    Raises:
        ConfigurationError: If a variable or context value that its environment or headers refer to is not set.
    """
    context_values = values_for(server, values or {})
    key = (server.name, server.fingerprint, server.protocol, server.start_timeout, context_values)
    engine = _the_engine()
    with _lock:
        connection = engine.connections.pop(key, None) or Connection(server, context_values)
        engine.connections[key] = connection  # the most recently used one comes last
        _forget_one(engine)
    return connection


def _forget_one(engine: _Engine) -> None:
    """Close the least recently used idle connection if there are too many."""
    if len(engine.connections) > MOST_CONNECTIONS:
        idle = next((key for key, one in engine.connections.items() if not one.is_busy), None)
        if idle is not None:
            leaving = asyncio.run_coroutine_threadsafe(engine.connections.pop(idle).close(), engine.loop)
            engine.leaving.add(leaving)
            leaving.add_done_callback(engine.leaving.discard)


def close_sessions() -> None:
    """Close every session, and kill every started server with all its processes; further calls open new sessions."""
    with _lock:
        engine = _engine
        if engine is None or engine.process != os.getpid():
            return
        connections = list(engine.connections.values())
        engine.connections.clear()
    closing = asyncio.run_coroutine_threadsafe(_close(connections), engine.loop)
    wait([closing, *engine.leaving], _CLOSING_SECONDS)


async def _close(connections: "list[Connection]") -> None:
    await asyncio.gather(*(connection.close() for connection in connections), return_exceptions=True)

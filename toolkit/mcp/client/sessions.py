"""Sessions: one with each server for each caller's identity, all in one event loop that has a thread of its own.

So a session outlives the event loops of its callers, plain code and code in any loop reach the same one, and a call
that is cancelled is cancelled at the server. A server is contacted when it is first needed; one that failed is tried
again the next time; one that died is started anew.
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
"""Connections that are kept; the one that was idle for longest makes way for another."""

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
    global _engine  # noqa: PLW0603 - there is one in a process, made when it is first needed
    with _lock:
        if _engine is None or _engine.process != os.getpid():  # a fork takes no threads along
            if _engine is None:
                atexit.register(close_sessions)
            _engine = _Engine()
        return _engine


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Do work among the sessions while this thread waits; Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(work, _the_engine().loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def reach(work: Coroutine[Any, Any, T]) -> T:
    """Do work among the sessions while the running loop goes on; cancelling this cancels it."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _the_engine().loop))


def connection_to(server: McpServer, values: Mapping[str, Any] | None = None) -> "Connection":
    """Return the connection with a server, the same for the same caller; it is not made yet.

    Args:
        server: The server.
        values: The values of the caller's context, which its headers may name.

    Raises:
        ConfigurationError: If something that its environment or headers name is not set.
    """
    context_values = values_for(server, values or {})
    key = (server.name, server.fingerprint, server.protocol, server.start_timeout, context_values)
    engine = _the_engine()
    with _lock:
        connection = engine.connections.pop(key, None) or Connection(server, context_values)
        engine.connections[key] = connection  # the one that was wanted last is the last
        _forget_one(engine)
    return connection


def _forget_one(engine: _Engine) -> None:
    """End the connection that has not been wanted for longest, if there are too many callers with one each."""
    if len(engine.connections) > MOST_CONNECTIONS:
        idle = next((key for key, one in engine.connections.items() if not one.is_busy), None)
        if idle is not None:
            leaving = asyncio.run_coroutine_threadsafe(engine.connections.pop(idle).close(), engine.loop)
            engine.leaving.add(leaving)
            leaving.add_done_callback(engine.leaving.discard)


def close_sessions() -> None:
    """End every session and every server that was started, with all that it has started; further calls start anew."""
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

"""One session for each server and caller identity, all in an event loop in a background thread.

So a session outlives the event loops of its callers, synchronous code and code in any loop share it, and cancelling a
call cancels it on the server. A server is contacted when first needed. After a failure it is tried again the next time,
and restarted if it has died.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeVar

from toolkit.errors import ConfigurationError
from toolkit.mcp.client.connections import Connection, Health, ServerUnreachable
from toolkit.mcp.client.tool_listings import Unreadable
from toolkit.mcp.client.transports import values_for
from toolkit.mcp.settings.server_settings import McpServer

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


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """The result of a health check of a server.

    Attributes:
        server: The server.
        health: What it reports about itself, or `None` if it does not answer.
        tools: The server's names for its tools.
        unreadable: Tools that were left out because they violate the protocol.
        error: Why the server does not answer, or `None` if it does.
    """

    server: McpServer
    health: Health | None = None
    tools: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    error: str | None = None


def check_servers(servers: Iterable[McpServer], values: Mapping[str, Any]) -> list[ServerHealth]:
    """Check the health of servers in parallel.

    Args:
        servers: The servers, for which the caller has the user's consent.
        values: The values of the caller's context.
    """

    async def all_of_them() -> list[ServerHealth]:
        return await asyncio.gather(*(_check_server(server, values) for server in servers))

    return wait_for(all_of_them())


def ping(server: McpServer, values: Mapping[str, Any]) -> tuple[Health, float]:
    """Return what a server reports about itself, and the round-trip time of a ping in seconds.

    Raises:
        ServerUnreachable: If it does not answer.
        ConfigurationError: If a variable or context value that its settings refer to is not set.
    """

    async def there_and_back() -> tuple[Health, float]:
        connection = connection_to(server, values)
        health = await connection.health()
        begun = perf_counter()
        await connection.ping()
        return health, perf_counter() - begun

    return wait_for(there_and_back())


async def _check_server(server: McpServer, values: Mapping[str, Any]) -> ServerHealth:
    try:
        connection = connection_to(server, values)
        health = await connection.health()
        listing = await connection.listing()
    except (ServerUnreachable, ConfigurationError) as error:
        return ServerHealth(server, error=str(error))
    return ServerHealth(server, health, tuple(tool.name for tool in listing.tools), tuple(listing.unreadable))

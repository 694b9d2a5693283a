"""Sessions: one with each server for each caller's identity, all in one event loop that has a thread of its own.

So a session outlives the event loops of its callers, plain code and code in any loop reach the same one, and a call
that is cancelled is cancelled at the server. A server is contacted when it is first needed; one that failed is tried
again the next time; one that died is started anew.
"""

import asyncio
import atexit
import logging
import os
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, TypeVar

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    LoggingMessageNotificationParams,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.durations import spoken
from toolkit.errors import ToolExecutionError
from toolkit.mcp.settings import McpServer, StdioServer
from toolkit.mcp.transports import Diary, Values, open_transport, secrets_of, values_for
from toolkit.tools.secret_texts import Secrets

T = TypeVar("T")

MOST_CONNECTIONS = 64
"""Connections that are kept; the one that was idle for longest makes way for another."""

_CLOSING_SECONDS = 8.0
_LAST_WORDS_SECONDS = 1.0
_MOST_PAGES = 1000
_MOST_TOOLS = 20_000
_TERMINATED = "Session terminated"


class ServerUnreachable(ToolExecutionError):  # noqa: N818 - it says what is the matter
    """A server could not be started or reached, or does not speak the protocol."""

    def __init__(self, message: str) -> None:
        """Keep the message."""
        super().__init__(message, "network")


class Caller(Protocol):
    """Whoever waits for a call: is told how far it is, and asked what the server asks."""

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Be told how far the work is."""

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Answer a question of the server."""


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of a server that answers.

    Attributes:
        protocol: The version of the protocol that is spoken.
        title: How the server calls itself, with its version; empty where it does not say.
        instructions: What it says of itself to models.
    """

    protocol: str
    title: str
    instructions: str


_CALLER: ContextVar["_Waiting | None"] = ContextVar("toolkit_mcp_caller", default=None)


class _Engine:
    """The event loop of all sessions, and the connections that live in it."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.connections: dict[tuple[Any, ...], Connection] = {}
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
    told = values_for(server, values or {})
    key = (server.name, server.fingerprint, server.start_timeout, told)
    engine = _the_engine()
    with _lock:
        connection = engine.connections.pop(key, None) or Connection(server, told)
        engine.connections[key] = connection  # the one that was wanted last is the last
        _forget_one(engine)
    return connection


def _forget_one(engine: _Engine) -> None:
    """End the connection that has not been wanted for longest, if there are too many callers with one each."""
    if len(engine.connections) > MOST_CONNECTIONS:
        idle = next((key for key, one in engine.connections.items() if not one.is_busy), None)
        if idle is not None:
            asyncio.run_coroutine_threadsafe(engine.connections.pop(idle).close(), engine.loop)


def close_sessions() -> None:
    """End every session and every server that was started, with all that it has started; further calls start anew."""
    with _lock:
        engine = _engine
        if engine is None or engine.process != os.getpid():
            return
        connections = list(engine.connections.values())
        engine.connections.clear()
    closing = asyncio.run_coroutine_threadsafe(_close(connections), engine.loop)
    with suppress(TimeoutError, asyncio.CancelledError):
        closing.result(_CLOSING_SECONDS)


async def _close(connections: "list[Connection]") -> None:
    await asyncio.gather(*(connection.close() for connection in connections), return_exceptions=True)


class Connection:
    """A connection with one server for one identity; everything but making one happens in the loop of the sessions."""

    def __init__(self, server: McpServer, values: Values) -> None:
        """Contact nobody yet."""
        self.server = server
        self.secrets = secrets_of(server, values)
        self._values = values
        self._log = logging.getLogger(f"toolkit.mcp.{server.name}")
        self._session: _Session | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._in_flight: set[asyncio.Task[Any]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a call is in flight."""
        return bool(self._in_flight)

    async def health(self) -> Health:
        """Return what a server that answers says of itself.

        Raises:
            ServerUnreachable: If it cannot be reached.
        """
        client = (await self._opened()).client
        told = client.server_info
        title = f"{told.title or told.name} {told.version}".strip() if told else ""
        blot = self.secrets.blot
        return Health(client.protocol_version, blot(title), blot(client.instructions or ""))

    async def ping(self) -> None:
        """Have the server answer once.

        Raises:
            ServerUnreachable: If it cannot be reached, or does not answer in time.
        """
        session = await self._opened()
        try:
            async with asyncio.timeout(self.server.start_timeout):
                if session.client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    await session.client.session.send_discover(session.client.protocol_version)
                else:
                    await session.client.session.send_ping()
        except Exception as error:
            raise self._unreachable(error, session) from error

    async def tools(self) -> list[Tool]:
        """Return the tools of the server as it lists them; it is asked again when it has said that they changed.

        Raises:
            ServerUnreachable: If it cannot be reached, or lists no tools that can be read.
        """
        session = await self._opened()
        try:
            async with asyncio.timeout(self.server.start_timeout):
                return await session.tools()
        except Exception as error:
            raise self._unreachable(error, session) from error

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller, *, meta: dict[str, Any] | None, seconds: float
    ) -> CallToolResult:
        """Call a tool by its name on the wire.

        Args:
            tool: The name.
            arguments: The arguments.
            caller: Who waits.
            meta: What of the caller's context crosses.
            seconds: What it may take; while the caller is asked something, the time stands still.

        Raises:
            ServerUnreachable: If the server cannot be reached, or ends before it has answered.
            ToolExecutionError: If it refuses, breaks its word, or takes too long.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._in_flight.add(task)
        try:
            session = await self._opened()
            try:
                return await session.call(tool, arguments, caller, meta, seconds)
            except MCPError as error:
                if error.message != _TERMINATED:
                    raise
            session.end()  # an HTTP server that has forgotten the session has not done the work either
            return await (await self._opened()).call(tool, arguments, caller, meta, seconds)
        except MCPError as error:
            raise self._refusal(error) from error
        finally:
            self._in_flight.discard(task)

    async def close(self) -> None:
        """End the session, and the server that was started for it; calls in flight are cancelled first."""
        for task in self._in_flight:
            task.cancel()
        if self._in_flight:
            await asyncio.wait(self._in_flight, timeout=_LAST_WORDS_SECONDS)
        if self._session is not None:
            self._retire(self._session)
        if self._closing:
            await asyncio.wait(self._closing)

    async def _opened(self) -> "_Session":
        if self._session is not None and self._session.has_ended:
            self._retire(self._session)
        if self._session is None:
            self._session = _Session(self.server, self._values, self.secrets)
        session = self._session
        try:
            await asyncio.shield(session.ready)
        except Exception as error:
            if self._session is session:
                self._retire(session)
            raise self._unreachable(error, session) from error
        return session

    def _retire(self, session: "_Session") -> None:
        session.end()
        self._closing.add(session.task)
        session.task.add_done_callback(self._closing.discard)
        self._session = None

    def _unreachable(self, error: BaseException, session: "_Session") -> ServerUnreachable:
        if isinstance(error, ServerUnreachable):
            return error
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            session.end()
        said = f"; it said: {session.diary.last}" if session.diary.last else ""
        reason = self.secrets.blot(_reason(error, self.server))
        return ServerUnreachable(f"MCP server '{self.server.name}' {reason}{said}")

    def _refusal(self, error: MCPError) -> ToolExecutionError:
        if error.code == CONNECTION_CLOSED:
            if self._session is not None:
                self._session.end()
            said = f"; it said: {self._session.diary.last}" if self._session and self._session.diary.last else ""
            return ServerUnreachable(f"MCP server '{self.server.name}' ended before it had answered{said}")
        message = self.secrets.blot(error.message)
        return ToolExecutionError(f"MCP server '{self.server.name}' refuses: {message}", error.code)


class _Session:
    """One session from its beginning to its end, which is one task: what opens it closes it."""

    def __init__(self, server: McpServer, values: Values, secrets: Secrets) -> None:
        loop = asyncio.get_running_loop()
        self.diary = Diary(server.name, secrets)
        self.ready: asyncio.Future[None] = loop.create_future()
        self.ready.add_done_callback(_look_at)
        self.client: Client
        self._secrets = secrets
        self._server = server
        self._values = values
        self._ended = asyncio.Event()
        self._listed: list[Tool] | None = None
        self._fresh_until = inf
        self._is_told_of_changes = False
        self._changes = 0
        self._waiting: list[_Waiting] = []
        self._log = logging.getLogger(f"toolkit.mcp.{server.name}")
        self.task = loop.create_task(self._live())
        self._alarm = loop.call_later(server.start_timeout, self._give_up)

    @property
    def has_ended(self) -> bool:
        """Whether nothing can come of it any more."""
        return self._ended.is_set() or self.task.done()

    def end(self) -> None:
        """Let it come to its end."""
        self._ended.set()
        if not self.ready.done():
            self.task.cancel()

    async def tools(self) -> list[Tool]:
        """Return the tools, as listed since the last change, or for as long as the server says that they stay."""
        if self._listed is not None and asyncio.get_running_loop().time() < self._fresh_until:
            return self._listed
        changes, found, cursor = self._changes, [], None
        for _ in range(_MOST_PAGES):
            page = await self.client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
            if len(found) > _MOST_TOOLS:
                message = f"it lists more than {_MOST_TOOLS} tools"
                raise ValueError(message)
        else:
            message = "its list of tools has no end"
            raise ValueError(message)
        if self._secrets:
            found = [
                Tool.model_validate(self._secrets.blot_all(tool.model_dump(mode="json", by_alias=True)))
                for tool in found
            ]
        if changes == self._changes:
            self._listed = found
            self._fresh_until = self._end_of(page.ttl_ms)
        return found

    def _end_of(self, milliseconds: float | None) -> float:
        """Return until when a list holds: where the server tells of changes, or could not say, until it does."""
        if self._is_told_of_changes or self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return inf
        return asyncio.get_running_loop().time() + (milliseconds or 0) / 1000

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller, meta: dict[str, Any] | None, seconds: float
    ) -> CallToolResult:
        """Call a tool; see `Connection.call`."""
        name = self._server.name
        try:
            async with asyncio.timeout(seconds) as clock:
                waiting = _Waiting(caller, clock)
                self._waiting.append(waiting)
                _CALLER.set(waiting)  # what is asked between the rounds of a call is asked in tasks of this one
                try:
                    return await self.client.call_tool(
                        tool,
                        dict(arguments),
                        progress_callback=caller.progress,
                        meta=meta or None,  # type: ignore[arg-type]  # its keys are ours to choose
                    )
                finally:
                    self._waiting.remove(waiting)
        except TimeoutError as error:
            message = f"MCP server '{name}' has not answered within {spoken(seconds)}; the call was cancelled"
            raise ToolExecutionError(message, "timeout") from error
        except MCPError:
            raise
        except (RuntimeError, ValueError) as error:
            message = f"MCP server '{name}' broke its word: {_words(error)}"
            raise ToolExecutionError(message, "invalid_result") from error

    async def _live(self) -> None:
        """Open the session, keep it while it lasts, and close it."""
        try:
            await self._last(mode="auto")
        except Exception as error:  # noqa: BLE001 - a server may fail in any way
            if self.ready.done() or not self._may_be_old(error):
                self._fail(error)
                return
            # Some old servers end over a request that they do not know, before they have shaken hands.
            self._ended.clear()
            try:
                await self._last(mode="legacy")
            except Exception as again:  # noqa: BLE001 - as above
                self._fail(again)
        finally:
            self._alarm.cancel()
            self._ended.set()
            self._fail(ConnectionAbortedError("the session was closed"))

    def _may_be_old(self, error: Exception) -> bool:
        leaf = _leaf(error)
        return isinstance(self._server, StdioServer) and isinstance(leaf, MCPError) and leaf.code == CONNECTION_CLOSED

    async def _last(self, mode: str) -> None:
        client = Client(
            open_transport(self._server, self._values, self.diary, self._ended.set),
            mode=mode,
            cache=None,
            client_info=Implementation(name="toolkit", version=_version()),
            elicitation_callback=self._asked,
            logging_callback=self._told,
            message_handler=self._notified,
        )
        async with client:
            self.client = client
            listening = asyncio.get_running_loop().create_task(self._listen())
            try:
                if not self.ready.done():
                    self.ready.set_result(None)
                self._alarm.cancel()
                await self._ended.wait()
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    async def _listen(self) -> None:
        """Follow the changes of the list of tools where the server tells of them on a stream that must be asked for."""
        capability = self.client.server_capabilities.tools
        is_modern = self.client.protocol_version in MODERN_PROTOCOL_VERSIONS
        if not is_modern or capability is None or not capability.list_changed:
            return
        with suppress(Exception):  # whoever does not tell is asked again when a session begins
            async with self.client.listen(tools_list_changed=True) as changes:
                self._is_told_of_changes = True
                self._forget_tools()  # nothing tells what has changed until now
                async for _ in changes:
                    self._forget_tools()
        self._is_told_of_changes = False
        self._forget_tools()

    async def _asked(self, context: Any, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - as the SDK calls it
        """Hand a question to the call that it belongs to; where that cannot be told, to the latest one."""
        waiting = _CALLER.get() or (self._waiting[-1] if self._waiting else None)
        if waiting is None:
            return ElicitResult(action="decline")
        with waiting:
            return await waiting.caller.elicit(params)

    async def _notified(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._forget_tools()
        elif isinstance(message, Exception):
            self._log.warning("the server has sent what is no message: %s", type(message).__name__)

    async def _told(self, params: LoggingMessageNotificationParams) -> None:
        self._log.info("%s: %s", params.level, params.data)

    def _forget_tools(self) -> None:
        self._changes += 1
        self._listed = None

    def _give_up(self) -> None:
        if not self.ready.done():
            seconds = spoken(self._server.start_timeout)
            self.ready.set_exception(TimeoutError(f"has not answered within {seconds}"))
            self.task.cancel()

    def _fail(self, error: BaseException) -> None:
        if not self.ready.done():
            self.ready.set_exception(_leaf(error))
        else:
            self._log.info("the session has ended: %s", _words(error))


class _Waiting:
    """A call in progress: who waits for it, and its clock, which stands still while they are asked something."""

    def __init__(self, caller: Caller, clock: asyncio.Timeout) -> None:
        self.caller = caller
        self._clock = clock
        self._left: float | None = None
        self._questions = 0

    def __enter__(self) -> None:
        self._questions += 1
        end = self._clock.when()
        if self._questions == 1 and end is not None:
            self._left = end - asyncio.get_running_loop().time()
            self._clock.reschedule(None)

    def __exit__(self, *_: object) -> None:
        self._questions -= 1
        if self._questions == 0 and self._left is not None:
            with suppress(RuntimeError):  # the call has ended meanwhile
                self._clock.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None


def _look_at(future: "asyncio.Future[None]") -> None:
    if not future.cancelled():
        future.exception()  # whether or not anybody waits for it


def _version() -> str:
    from toolkit import __version__  # noqa: PLC0415 - it imports this room's names when asked for them

    return __version__


def _leaf(error: BaseException) -> BaseException:
    """Return what really happened inside groups of exceptions."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(error: BaseException) -> str:
    leaf = _leaf(error)
    if (listed := getattr(leaf, "errors", None)) is not None and callable(listed):  # what does not fit a model
        first = listed()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    lines = str(leaf).strip().splitlines()
    return lines[0] if lines else type(leaf).__name__


def _reason(error: BaseException, server: McpServer) -> str:
    """Return why a server could not be reached, as what it does."""
    leaf = _leaf(error)
    if isinstance(leaf, TimeoutError):
        return str(leaf) or f"has not answered within {spoken(server.start_timeout)}"
    if isinstance(server, StdioServer):
        if isinstance(leaf, FileNotFoundError):
            missing = server.cwd if server.cwd is not None and not server.cwd.is_dir() else server.command
            return f"cannot be started: there is no '{missing}'"
        if isinstance(leaf, OSError):
            return f"cannot be started: {(leaf.strerror or str(leaf)).lower()}"
    if isinstance(leaf, MCPError):
        if leaf.code == CONNECTION_CLOSED:
            return "ended before it had answered"
        return f"answered with an error: {leaf.message}"
    if isinstance(leaf, ValueError) and type(leaf) is not ValueError:
        return f"answered with what cannot be read: {_words(leaf)}"
    if isinstance(leaf, OSError) or type(leaf).__module__.partition(".")[0] in {"httpx2", "httpcore2"}:
        return f"cannot be reached at {server.line}: {_words(leaf)}"
    return f"cannot be used: {_words(leaf)}"

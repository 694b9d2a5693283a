"""One session for each server and caller identity, all in an event loop in a background thread.

So a session outlives the event loops of its callers, synchronous code and code in any loop share it, and cancelling a
call cancels it on the server. A server is contacted when first needed. After a failure it is tried again the next time,
and restarted if it has died.
"""

import asyncio
import atexit
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.errors import ToolExecutionError
from toolkit.mcp.client.failure_reasons import (
    Reason,
    fault_of_answer,
    is_lost,
    is_status,
    is_unreadable,
    reason_of,
    reason_of_status,
)
from toolkit.mcp.client.server_conversations import Caller, Conversation, Listed, Listing
from toolkit.mcp.client.transports import ServerLog, Values, redactor_of, values_for
from toolkit.mcp.settings.server_settings import HttpServer, McpServer
from toolkit.mcp.sign_in.providers import Challenge, Person, SignInError, sign_in
from toolkit.mcp.sign_in.server_auth import ServerAuth

T = TypeVar("T")

_CANCELLING_SECONDS = 1.0
_TERMINATED = "Session terminated"
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class ServerUnreachable(ToolExecutionError):
    """Raised if a server cannot be started or reached, or does not speak the protocol.

    Attributes:
        reason: Why, with the step that failed.
        log: What the server has written, or `None` if no session was opened.
    """

    def __init__(self, server: McpServer, reason: Reason, log: ServerLog | None = None) -> None:
        output = f"; its last output: {log.lines[-1]}" if log is not None and log.lines else ""
        super().__init__(f"MCP server '{server.name}' {reason.sentence}{output}", "network")
        self.reason = reason
        self.log = log


class SignInNeeded(ServerUnreachable):
    """Raised if a server does not accept a request without a sign-in, or without more permissions.

    Attributes:
        challenge: What the server requires.
        refused: The token that it does not accept, if there was one.
    """

    def __init__(self, server: HttpServer, challenge: Challenge, refused: str | None, failure: str) -> None:
        is_machine = server.auth.grant == "client_credentials"
        scopes = "".join(f" --scope {scope}" for scope in challenge.scope.split() if challenge.lacks_scope)
        fix = "check its 'auth'" if is_machine else f"sign in with `toolkit mcp login {server.name}{scopes}`"
        reason = reason_of_status(challenge.status, challenge.header)
        text = f"{reason.text.partition(':')[0]}: {failure}" if failure else reason.text
        super().__init__(server, reason._replace(text=text, fix=fix))
        self.challenge = challenge
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Health:
    """What a server reports about itself.

    Attributes:
        protocol: The negotiated protocol version.
        title: The server's own name and version; empty if it sends none.
        instructions: Its instructions for models.
        offers_tools: Whether it announces that it has tools.
    """

    protocol: str
    title: str
    instructions: str
    offers_tools: bool


class Connection:
    """A connection to one server for one identity. Use all methods in the event loop of the sessions."""

    def __init__(self, server: McpServer, values: Values) -> None:
        self.server = server
        self.redactor = redactor_of(server, values)
        self._auth = ServerAuth(server) if isinstance(server, HttpServer) and server.signs_in else None
        self._values = values
        self._log = logging.getLogger(f"toolkit.mcp.{server.name}")
        self._session: Conversation | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._in_flight: set[asyncio.Task[Any]] = set()
        self.watchers: list[Callable[[Listed], None]] = []
        """Called, in the event loop of the sessions, when the server says that a list of it has changed."""

    @property
    def is_busy(self) -> bool:
        """Whether a call is in progress."""
        return bool(self._in_flight)

    @property
    def sends_token(self) -> bool:
        """Whether the last request was sent with the token of a sign-in."""
        return self._auth is not None and self._auth.sends_token

    async def health(self) -> Health:
        """Return what the server reports about itself.

        Raises:
            ServerUnreachable: If it cannot be reached.
        """
        client = (await self._opened()).client
        info = client.server_info
        title = f"{info.title or info.name} {info.version}".strip() if info else ""
        redact = self.redactor.text
        offers_tools = client.server_capabilities.tools is not None
        return Health(client.protocol_version, redact(title), redact(client.instructions or ""), offers_tools)

    @property
    def log(self) -> ServerLog | None:
        """What the server has written in the current session; `None` if none is open."""
        return self._session.server_log if self._session is not None else None

    async def ping(self, *, restarts: bool = True) -> None:
        """Ping the server.

        Args:
            restarts: Whether a server that has ended is started again, as for a call.

        Raises:
            ServerUnreachable: If it cannot be reached, or does not answer in time.
        """
        session = self._session if self._session is not None and not restarts else await self._opened()
        try:
            async with asyncio.timeout(self.server.start_timeout):
                if session.client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    await session.client.session.send_discover(session.client.protocol_version)
                else:
                    await session.client.session.send_ping()
        except Exception as error:
            raise self._unreachable(error, session) from error

    async def listing(self) -> Listing:
        """Return the server's tools; the list is cached until the server reports a change.

        Raises:
            ServerUnreachable: If it cannot be reached, or listing its tools fails.
        """
        session = await self._opened()
        try:
            async with asyncio.timeout(self.server.start_timeout):
                return await session.listing()
        except Exception as error:
            raise self._unreachable(error, session) from error

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller, *, meta: dict[str, Any] | None, seconds: float
    ) -> CallToolResult:
        """Call a tool.

        Args:
            tool: The server's name for the tool.
            arguments: The arguments.
            caller: Receives progress and the server's questions.
            meta: The `_meta` of the request, taken from the caller's context.
            seconds: Timeout in seconds, excluding the time that the caller needs to answer questions.

        Raises:
            ServerUnreachable: If the server cannot be reached, or ends before it has answered.
            ToolExecutionError: If the server returns an error, violates the protocol or times out.
        """
        return await self._asked(lambda session: session.call(tool, arguments, caller, meta, seconds))

    async def ask(self, request: Callable[[Client], Awaitable[T]]) -> T:
        """Send a request that is not a call, such as for a resource.

        Args:
            request: Sends it with the SDK's client, and returns the answer.

        Raises:
            ServerUnreachable: If the server cannot be reached, or ends before it has answered.
            ToolExecutionError: If the server returns an error, violates the protocol or times out.
        """
        return await self._asked(lambda session: session.ask(request))

    async def _asked(self, request: Callable[[Conversation], Awaitable[T]]) -> T:
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in one
        self._in_flight.add(task)
        try:
            session = await self._opened()
            try:
                return await request(session)
            except MCPError as error:
                if error.message != _TERMINATED:
                    raise
            session.end()  # an HTTP server that no longer knows the session has not run the call either
            return await request(await self._opened())
        except MCPError as error:
            raise self._refusal(error) from error
        finally:
            self._in_flight.discard(task)

    def _report_change(self, listed: Listed) -> None:
        for watcher in self.watchers:
            watcher(listed)

    async def close(self) -> None:
        """Close the session and stop the server that was started for it, after cancelling calls in progress."""
        for task in self._in_flight:
            task.cancel()
        if self._in_flight:
            await asyncio.wait(self._in_flight, timeout=_CANCELLING_SECONDS)
        if self._session is not None:
            self._retire(self._session)
        if self._closing:
            await asyncio.wait(self._closing)

    async def _opened(self) -> "Conversation":
        if self._session is not None and self._session.has_ended:
            self._retire(self._session)
        if self._session is None:
            self._session = Conversation(self.server, self._values, self.redactor, self._report_change, self._auth)
        session = self._session
        try:
            await asyncio.shield(session.ready)
        except Exception as error:
            if self._session is session:
                self._retire(session)
            raise self._unreachable(error, session) from error
        return session

    def _retire(self, session: "Conversation") -> None:
        session.end()
        self._closing.add(session.task)
        session.task.add_done_callback(self._closing.discard)
        self._session = None

    def _unreachable(self, error: BaseException, session: "Conversation") -> ServerUnreachable:
        if isinstance(error, ServerUnreachable):
            return error
        if (needed := self._sign_in_needed()) is not None:
            return needed
        has_ended = session.has_ended
        if isinstance(error, MCPError) and is_lost(error, has_ended=has_ended):
            session.end()
        reason = reason_of(error, self.server, has_ended=has_ended)
        text, fix, header = map(self.redactor.text, (reason.text, reason.fix, reason.header))
        return ServerUnreachable(
            self.server, reason._replace(text=text, fix=fix, header=header), log=session.server_log
        )

    def _sign_in_needed(self) -> SignInNeeded | None:
        """Return the error that a sign-in is needed, if the server has said so."""
        auth, server = self._auth, self.server
        if auth is None or auth.challenge is None or not isinstance(server, HttpServer):
            return None
        return SignInNeeded(server, auth.challenge, auth.refused, self.redactor.text(auth.failure))

    def _refusal(self, error: MCPError) -> ToolExecutionError:
        if error.code in _REFUSALS and (needed := self._sign_in_needed()) is not None:
            return needed
        session = self._session
        if is_lost(error, has_ended=session is None or session.has_ended):
            if session is not None:
                session.end()
            reason = reason_of(error, self.server, has_ended=True)
            return ServerUnreachable(self.server, reason, session.server_log if session is not None else None)
        if is_unreadable(error):
            message = f"MCP server '{self.server.name}' violated the protocol: {fault_of_answer(error)}"
            return ToolExecutionError(message, "invalid_result")
        verb = "answered with" if is_status(error.code) else "refuses:"
        return ToolExecutionError(
            f"MCP server '{self.server.name}' {verb} {self.redactor.text(error.message)}", error.code
        )


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
                atexit.register(_close_at_exit)
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


_MOST_SIGN_INS = 2


async def with_sign_in(server: McpServer, person: Person | None, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function in the event loop of the sessions; if the server requires it, after a sign-in.

    Args:
        server: The server.
        person: Lets a person sign in; `None` if there is nobody at a terminal.
        work: The coroutine function. The server has done nothing yet when it is called again.

    Raises:
        ServerUnreachable: If the server cannot be reached, or needs a sign-in and nobody signs in.
    """
    for _ in range(_MOST_SIGN_INS):  # one for a token, and one for permissions
        try:
            return await reach(work())
        except SignInNeeded as needed:
            if person is None or not isinstance(server, HttpServer) or server.auth.grant == "client_credentials":
                raise
            await sign_in_to(server, needed.challenge, needed.refused, person)
    return await reach(work())


async def sign_in_to(server: HttpServer, challenge: Challenge, refused: str | None, person: Person) -> None:
    """Let a person sign in to a server; see `sign_in`.

    Raises:
        ServerUnreachable: If they do not sign in, or cannot.
    """
    try:
        await sign_in(server, challenge, refused, person)
    except SignInError as error:
        reason = Reason("authorization", f"needs a sign-in, which has failed: {error}")
        raise ServerUnreachable(server, reason) from error


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


def _close_at_exit() -> None:
    """Close every session; Ctrl-C ends the waiting, and a server's warden kills it when this process is gone."""
    with suppress(KeyboardInterrupt):
        close_sessions()


async def _close(connections: "list[Connection]") -> None:
    await asyncio.gather(*(connection.close() for connection in connections), return_exceptions=True)

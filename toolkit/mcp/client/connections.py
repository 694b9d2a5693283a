"""A connection to one server for one caller's identity, opened when first needed and reopened after it was lost."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.errors import ToolExecutionError
from toolkit.mcp.client.failure_reasons import fault_of_answer, is_lost, is_status, is_unreadable, reason_of
from toolkit.mcp.client.server_conversations import Caller, Conversation
from toolkit.mcp.client.tool_listings import Listing
from toolkit.mcp.client.transports import Values, redactor_of
from toolkit.mcp.settings.server_settings import McpServer

_CANCELLING_SECONDS = 1.0
_TERMINATED = "Session terminated"


class ServerUnreachable(ToolExecutionError):
    """Raised if a server cannot be started or reached, or does not speak the protocol."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "network")


@dataclass(frozen=True, slots=True)
class Health:
    """What a server reports about itself.

    Attributes:
        protocol: The negotiated protocol version.
        title: The server's own name and version; empty if it sends none.
        instructions: Its instructions for models.
    """

    protocol: str
    title: str
    instructions: str


class Connection:
    """A connection to one server for one identity. Use all methods in the event loop of the sessions."""

    def __init__(self, server: McpServer, values: Values) -> None:
        self.server = server
        self.redactor = redactor_of(server, values)
        self._values = values
        self._log = logging.getLogger(f"toolkit.mcp.{server.name}")
        self._session: Conversation | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._in_flight: set[asyncio.Task[Any]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a call is in progress."""
        return bool(self._in_flight)

    async def health(self) -> Health:
        """Return what the server reports about itself.

        Raises:
            ServerUnreachable: If it cannot be reached.
        """
        client = (await self._opened()).client
        info = client.server_info
        title = f"{info.title or info.name} {info.version}".strip() if info else ""
        redact = self.redactor.text
        return Health(client.protocol_version, redact(title), redact(client.instructions or ""))

    async def ping(self) -> None:
        """Ping the server.

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
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in one
        self._in_flight.add(task)
        try:
            session = await self._opened()
            try:
                return await session.call(tool, arguments, caller, meta, seconds)
            except MCPError as error:
                if error.message != _TERMINATED:
                    raise
            session.end()  # an HTTP server that no longer knows the session has not run the call either
            return await (await self._opened()).call(tool, arguments, caller, meta, seconds)
        except MCPError as error:
            raise self._refusal(error) from error
        finally:
            self._in_flight.discard(task)

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
            self._session = Conversation(self.server, self._values, self.redactor)
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
        has_ended = session.has_ended
        if isinstance(error, MCPError) and is_lost(error, has_ended=has_ended):
            session.end()
        reason = self.redactor.text(reason_of(error, self.server, has_ended=has_ended))
        return ServerUnreachable(f"MCP server '{self.server.name}' {reason}{_last_output(session)}")

    def _refusal(self, error: MCPError) -> ToolExecutionError:
        session = self._session
        if is_lost(error, has_ended=session is None or session.has_ended):
            if session is not None:
                session.end()
            output = _last_output(session)
            return ServerUnreachable(f"MCP server '{self.server.name}' ended before it had answered{output}")
        if is_unreadable(error):
            message = f"MCP server '{self.server.name}' violated the protocol: {fault_of_answer(error)}"
            return ToolExecutionError(message, "invalid_result")
        verb = "answered with" if is_status(error.code) else "refuses:"
        return ToolExecutionError(
            f"MCP server '{self.server.name}' {verb} {self.redactor.text(error.message)}", error.code
        )


def _last_output(session: "Conversation | None") -> str:
    return f"; its last output: {session.stderr_log.last}" if session is not None and session.stderr_log.last else ""

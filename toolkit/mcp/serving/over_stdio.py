"""Serve one client over stdio, with one JSON message per line; a line that is not a message is answered with an error.

The caller duplicates the file descriptors 0 and 1 first and redirects the originals, so that nothing else uses them.

The SDK's own transport silently drops a malformed line, so its sender waits forever, and treats a request with an
invalid id as a notification.
"""

import asyncio
import json
import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_loop
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from toolkit.mcp.serving.server import ToolServer
from toolkit.processes.watching import write_all, write_cannot_block

LONGEST_MESSAGE = 4 * 1024 * 1024
"""Maximum size of a message in bytes, the same as the SDK's limit over HTTP."""


class LineError(JSONRPCError):
    """The error that answers a line that is not a message."""


def message_of(line: bytes, limit: int = LONGEST_MESSAGE) -> JSONRPCMessage | LineError | None:
    """Return the message in a line, the error that answers the line, or `None` if no answer is needed.

    Args:
        line: A line without its line break. It can be truncated, as long as it remains longer than the limit.
        limit: Maximum size of a message in bytes.
    """
    if len(line) > limit:
        return _error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit} bytes")
    if not line.strip():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _answer_to(line)
    # A request with an invalid id parses as a notification, and one with a result as an answer.
    is_like = b'"id"' if isinstance(message, JSONRPCNotification) else b'"method"'
    if not isinstance(message, JSONRPCRequest) and is_like in line:
        fault = _answer_to(line)
        return fault if isinstance(fault, LineError) else message
    return message


def _answer_to(line: bytes) -> JSONRPCError | None:
    """Return the error that answers a malformed line, or `None` if no answer is expected.

    A malformed answer is not answered, since that could go on forever: it becomes an error for the waiting caller here.
    """
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        reason = "encode it as UTF-8: it contains null bytes" if b"\0" in line else _shortly(error)
        return _error(None, PARSE_ERROR, f"Parse error: a line must be one JSON message ({reason})")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Invalid request: batches are not supported; send one message per line")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" in value and "id" not in value:
        return None  # a notification is not answered
    if "method" not in value and ("result" in value or "error" in value):
        identity = _id_of(value)
        fault = ErrorData(code=INVALID_REQUEST, message="the answer is malformed")
        return None if identity is None else JSONRPCError(jsonrpc="2.0", id=identity, error=fault)
    return _error(_id_of(value), INVALID_REQUEST, _what_is_wrong(value))


def _what_is_wrong(value: dict[str, object]) -> str:
    wrong = [
        words
        for is_right, words in (
            (value.get("jsonrpc") == "2.0", "'jsonrpc' must be '2.0'"),
            (_id_of(value) is not None, "'id' must be a string or an integer"),
            (isinstance(value.get("method"), str), "'method' must be a string"),
            (isinstance(value.get("params"), dict | None), "'params' must be an object"),
            ("result" not in value and "error" not in value, "a request has neither 'result' nor 'error'"),
        )
        if not is_right
    ]
    return "Invalid request: " + ("; ".join(wrong) or "it is nested too deeply, or contains a lone surrogate")


def _id_of(value: dict[str, object]) -> RequestId | None:
    identity = value.get("id")
    if isinstance(identity, str):
        return identity if identity.encode(errors="ignore").decode() == identity else None  # a lone surrogate
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _shortly(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _error(identity: RequestId | None, code: int, message: str) -> LineError:
    return LineError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))


def line_of(message: JSONRPCMessage) -> bytes:
    """Return the line for a message, without line break; empty if it cannot be encoded and is not an answer."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # such as a lone surrogate; one such answer must not end the session
        identity = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if identity is None:
            return b""
        error = _error(identity, INTERNAL_ERROR, "Internal error: the answer cannot be written as JSON")
        text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode()


_CHUNK = 65_536
_AHEAD = 2
"""Maximum number of lines to read ahead."""
_PATIENCE = 1.0
_LAST_ANSWERS = 2.0
_MOST_BEFORE = 8
"""Maximum number of messages before the first request that are kept for the session, as in the SDK."""
_NOT_STATELESS = "Invalid request: the session has begun with a handshake, so requests cannot name a protocol version"


async def serve_stdio(server: ToolServer, source: int, sink: int) -> None:
    """Serve one client until it closes its output.

    Args:
        server: The server.
        source: The file descriptor that messages are read from.
        sink: The file descriptor that messages are written to.
    """
    writer, protocol = _Writer(sink), server.protocol
    incoming = _Incoming(_Lines(source), writer)
    outgoing = _Outgoing(writer, incoming)
    try:
        first = await incoming.first_request()
        if first is None or _is_stateless(first):
            await protocol.run(incoming, outgoing, protocol.create_initialization_options())
        else:  # `run` would do the same, but pass every message on through another task
            incoming.refuses_stateless = True
            await _serve_session(protocol, incoming, outgoing)
    finally:
        with anyio.move_on_after(_PATIENCE, shield=True):
            await writer.drain()
        server.close()


async def _serve_session(protocol: Server[Any], incoming: "_Incoming", outgoing: "_Outgoing") -> None:
    """Serve a client of the handshake era."""
    options = protocol.create_initialization_options()
    async with protocol.lifespan(protocol) as state:
        await serve_loop(protocol, incoming, outgoing, lifespan_state=state, init_options=options)


def _is_stateless(request: JSONRPCRequest) -> bool:
    """Return whether a request is of the stateless era, in which every request names its version of the protocol."""
    meta = (request.params or {}).get("_meta")
    return request.method != "initialize" and isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta


class _Stream:
    """What the SDK expects of both streams."""

    def __init__(self) -> None:
        self._is_closed = False

    async def aclose(self) -> None:
        self._is_closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Incoming(_Stream):
    """The messages of the client; any other line is answered with an error.

    When the input ends, calls that are almost finished are still answered.

    Attributes:
        refuses_stateless: Whether the session has begun with a handshake, so that no requests of the stateless era are
            accepted.
    """

    def __init__(self, lines: "_Lines", writer: "_Writer") -> None:
        super().__init__()
        self.refuses_stateless = False
        self._lines, self._writer = lines, writer
        self._ahead: deque[JSONRPCMessage] = deque()

    async def first_request(self) -> JSONRPCRequest | None:
        """Return the first request, or `None` if there is none; it stays in the stream, as do messages before it."""
        while (message := await self._next()) is not None:
            if isinstance(message, JSONRPCRequest) or len(self._ahead) < _MOST_BEFORE:
                self._ahead.append(message)
            if isinstance(message, JSONRPCRequest):
                return message
        return None

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            EndOfStream: If there is none.
        """
        message = self._ahead.popleft() if self._ahead else await self._next()
        if message is not None:
            return SessionMessage(message)
        await self._writer.wait_for_answers(_LAST_ANSWERS)
        raise anyio.EndOfStream

    async def _next(self) -> JSONRPCMessage | None:
        writer = self._writer
        while not writer.is_broken and (line := await self._lines.next()) is not None:
            message = message_of(line)
            if self.refuses_stateless and isinstance(message, JSONRPCRequest) and _is_stateless(message):
                message = _error(message.id, INVALID_REQUEST, _NOT_STATELESS)
            if isinstance(message, LineError):
                await writer.write(line_of(message))
            elif message is not None:
                writer.unanswered += isinstance(message, JSONRPCRequest)
                return message
        return None

    def end(self) -> None:
        """End the stream, since the client is gone."""
        self._lines.add(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _Outgoing(_Stream):
    """The messages to the client."""

    def __init__(self, writer: "_Writer", incoming: _Incoming) -> None:
        super().__init__()
        self._writer, self._incoming = writer, incoming

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message, and wait until it is written.

        Raises:
            ClosedResourceError: If the session has ended.
            BrokenResourceError: If the client is gone; this ends the session.
        """
        if self._is_closed:
            raise anyio.ClosedResourceError
        await self._writer.write(line_of(item.message))
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._writer.mark_answered()
        if self._writer.is_broken:
            self._incoming.end()
            raise anyio.BrokenResourceError


class _Lines:
    """The lines of a file, read by a background thread, which reads only a few lines ahead.

    A line that is too long is truncated, and then refused as a message.
    """

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | None] = deque()
        self._news = self._loop.create_future()
        self._room = threading.Semaphore(_AHEAD)
        threading.Thread(target=_read_lines, args=(source, self._put), name="toolkit stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line, or `None` at the end."""
        while not self._lines:
            self._news = self._loop.create_future()
            await self._news
        if self._lines[0] is not None:  # the end stays, for whoever asks again
            self._room.release()
            return self._lines.popleft()
        return None

    def add(self, line: bytes | None) -> None:
        """Add a line; `None` is the end."""
        self._lines.append(line)
        if not self._news.done():
            self._news.set_result(None)

    def _put(self, line: bytes | None) -> None:
        self._room.acquire()
        self._loop.call_soon_threadsafe(self.add, line)


def _read_lines(source: int, put: Callable[[bytes | None], None]) -> None:
    with suppress(Exception):  # the event loop is closed, so nothing waits for the lines
        line = bytearray()
        while chunk := _read_chunk(source):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                _append(line, end)
                put(bytes(line))
                line.clear()
            _append(line, rest)
        if line:
            put(bytes(line))
        put(None)


def _append(line: bytearray, piece: bytes) -> None:
    line += piece[: LONGEST_MESSAGE + 1 - len(line)]


def _read_chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""


class _Writer:
    """Writes lines to a file without blocking the event loop, even if the client does not read.

    Writes that cannot block happen immediately; all others are made in a background thread, and so are those that
    arrive in the meantime.
    """

    def __init__(self, sink: int) -> None:
        self.is_broken = False
        self.unanswered = 0
        self._answered = asyncio.Event()
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._queued = 0
        self._lines: queue.SimpleQueue[tuple[bytes, asyncio.Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="toolkit stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write a line, and wait until it is written; it is even if this is cancelled."""
        if self.is_broken or not line:
            return
        line += b"\n"
        if not self._queued and write_cannot_block(self._sink, len(line)):
            self._write(line)
        else:
            await self._enqueue(line)

    def mark_answered(self) -> None:
        """Record that a request was answered."""
        self.unanswered -= 1
        self._answered.set()

    async def wait_for_answers(self, patience: float) -> None:
        """Wait for at most `patience` seconds until all requests are answered."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self.unanswered > 0 and not self.is_broken:
                    self._answered.clear()
                    await self._answered.wait()

    async def drain(self) -> None:
        """Wait until all lines are written."""
        if self._queued:
            await self._enqueue(b"")

    async def _enqueue(self, line: bytes) -> None:
        """Let the thread write a line after those before it, and wait until it is written."""
        self._queued += 1
        written: asyncio.Future[Any] = self._loop.create_future()
        self._lines.put((line, written))
        await written

    def _write(self, line: bytes) -> None:
        try:
            write_all(self._sink, line)
        except OSError:
            self.is_broken = True

    def _run(self) -> None:
        while True:
            line, written = self._lines.get()
            self._write(line)
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._finish, written)

    def _finish(self, written: "asyncio.Future[Any]") -> None:
        self._queued -= 1
        if not written.done():
            written.set_result(None)

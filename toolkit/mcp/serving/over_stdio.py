"""Serve one client over stdio, with one JSON message per line; a line that is not a message is answered with an error.

The caller duplicates the file descriptors 0 and 1 first and redirects the originals, so that nothing else uses them.

The SDK's own transport silently drops a malformed line, so its sender waits forever, and treats a request with an
invalid id as a notification.
"""

import asyncio
import os
import queue
import threading
from collections import deque
from contextlib import suppress
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_loop
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
)

from toolkit.mcp.serving.messages import LONGEST_MESSAGE, MessageError, MessageStream, bytes_of, message_of
from toolkit.mcp.serving.server import ToolServer
from toolkit.processes.watching import write_all, write_cannot_block

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
        incoming.end()
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


class _Incoming(MessageStream):
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
                fault = ErrorData(code=INVALID_REQUEST, message=_NOT_STATELESS)
                message = MessageError(jsonrpc="2.0", id=message.id, error=fault)
            if isinstance(message, MessageError):
                await writer.write(bytes_of(message))
            elif message is not None:
                writer.unanswered += isinstance(message, JSONRPCRequest)
                return message
        return None

    def end(self) -> None:
        """End the stream, since the client is gone."""
        self._lines.end()


class _Outgoing(MessageStream):
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
        if self.is_closed:
            raise anyio.ClosedResourceError
        await self._writer.write(bytes_of(item.message))
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._writer.mark_answered()
        if self._writer.is_broken:
            self._incoming.end()
            raise anyio.BrokenResourceError


class _Lines:
    """The lines of a file, which is read only a little ahead.

    The event loop reads what it can poll, such as a pipe. A thread reads anything else, such as a regular file.
    A line that is too long is truncated, and then refused as a message.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | None] = deque()
        self._begun = bytearray()
        self._news = self._loop.create_future()
        self._is_paused, self._room = False, threading.Semaphore(0)
        self._is_polled = self._poll()
        if not self._is_polled:
            threading.Thread(target=self._read_in_thread, name="toolkit stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line, or `None` at the end."""
        while not self._lines:
            self._go_on()
            self._news = self._loop.create_future()
            await self._news
        return None if self._lines[0] is None else self._lines.popleft()  # the end stays, for whoever asks again

    def end(self) -> None:
        """End the lines, and read no more."""
        if self._is_polled:
            self._loop.remove_reader(self._source)
        self._lines.append(None)
        self._wake()

    def _poll(self) -> bool:
        """Let the event loop read, and return whether it can."""
        try:
            self._loop.add_reader(self._source, self._read)
        except (NotImplementedError, OSError):
            return False
        return True

    def _read(self) -> None:
        self._take(_read_chunk(self._source))
        if len(self._lines) > _AHEAD:
            self._loop.remove_reader(self._source)
            self._is_paused = True

    def _go_on(self) -> None:
        """Read on once all lines were taken."""
        if self._is_paused:
            self._is_paused = False
            if self._is_polled:
                self._poll()
            else:
                self._room.release()

    def _read_in_thread(self) -> None:
        chunk = b"-"
        with suppress(RuntimeError):  # the event loop is closed, so nothing waits for the lines
            while chunk:
                chunk = _read_chunk(self._source)
                self._loop.call_soon_threadsafe(self._take_from_thread, chunk)
                self._room.acquire()

    def _take_from_thread(self, chunk: bytes) -> None:
        self._is_paused = True
        self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        """Add the lines that a chunk completes; without any byte, the file has ended."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._append(end)
            self._complete()
        self._append(rest)
        if not chunk:
            if self._begun:
                self._complete()
            self.end()
        self._wake()

    def _append(self, piece: bytes) -> None:
        self._begun += piece[: LONGEST_MESSAGE + 1 - len(self._begun)]

    def _complete(self) -> None:
        self._lines.append(bytes(self._begun))
        self._begun.clear()

    def _wake(self) -> None:
        if not self._news.done():
            self._news.set_result(None)


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

"""Serve one client over stdio, with one JSON message per line; a line that is not a message is answered with an error.

The caller duplicates the file descriptors 0 and 1 first and redirects the originals, so that nothing else uses them.
"""

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from toolkit.mcp.serving.server import ToolServer
from toolkit.mcp.serving.wire import LONGEST_MESSAGE, LineError, line_of, message_of
from toolkit.processes.watching import write_all, write_cannot_block

_CHUNK = 65_536
_AHEAD = 2
"""Maximum number of lines to read ahead."""
_PATIENCE = 1.0
_LAST_ANSWERS = 2.0

Messages = MemoryObjectReceiveStream[SessionMessage | Exception]
Outlet = MemoryObjectSendStream[SessionMessage]


async def serve_stdio(server: ToolServer, source: int, sink: int) -> None:
    """Serve one client until it closes its output.

    Args:
        server: The server.
        source: The file descriptor that messages are read from.
        sink: The file descriptor that messages are written to.
    """
    try:
        async with _streams(source, sink) as (incoming, outgoing):
            protocol = server.protocol
            await protocol.run(incoming, outgoing, protocol.create_initialization_options())
    finally:
        server.close()


@asynccontextmanager
async def _streams(source: int, sink: int) -> AsyncIterator[tuple[Messages, Outlet]]:
    """Open the streams that the SDK reads from and writes to."""
    to_protocol, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_protocol = anyio.create_memory_object_stream[SessionMessage](0)
    writer = _Writer(sink)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, _Lines(source), to_protocol, writer)
        tasks.start_soon(_write, from_protocol, writer, to_protocol)
        try:
            yield incoming, outgoing
        finally:
            with anyio.move_on_after(_PATIENCE, shield=True):
                await outgoing.aclose()
                await writer.drain()
            tasks.cancel_scope.cancel()


async def _read(
    lines: "_Lines",
    to_protocol: MemoryObjectSendStream[SessionMessage | Exception],
    writer: "_Writer",
) -> None:
    """Pass each message to the session, and answer any other line with an error.

    When the input ends, calls that are almost finished are still answered.
    """
    async with to_protocol:
        while (line := await lines.next()) is not None:
            message = message_of(line)
            if isinstance(message, LineError):
                await writer.write(line_of(message))
            elif message is not None:
                writer.unanswered += isinstance(message, JSONRPCRequest)
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await to_protocol.send(SessionMessage(message))
        await writer.wait_for_answers(_LAST_ANSWERS)


async def _write(
    from_protocol: MemoryObjectReceiveStream[SessionMessage],
    writer: "_Writer",
    to_protocol: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    async with from_protocol:
        async for item in from_protocol:
            await writer.write(line_of(item.message))
            if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                writer.mark_answered()
            if writer.is_broken:  # the client is gone, so end the session
                await to_protocol.aclose()
                return


class _Lines:
    """The lines of a file, read by a background thread, which reads only a few lines ahead.

    A line that is too long is truncated, and then refused as a message.
    """

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        threading.Thread(target=_read_lines, args=(source, self._put), name="toolkit stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line, or `None` at the end."""
        line = await self._lines.get()
        self._room.release()
        return line

    def _put(self, line: bytes | None) -> None:
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


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

    Writes that cannot block happen immediately; all others are made in a background thread.
    """

    def __init__(self, sink: int) -> None:
        self.is_broken = False
        self.unanswered = 0
        self._answered = asyncio.Event()
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[tuple[bytes, asyncio.Future[Any]]] = queue.SimpleQueue()
        self._lock = asyncio.Lock()
        threading.Thread(target=self._run, name="toolkit stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write a line, and wait until it is written."""
        async with self._lock:
            if self.is_broken or not line:
                return
            line += b"\n"
            if write_cannot_block(self._sink, len(line)):
                self._write(line)
                return
            written: asyncio.Future[Any] = self._loop.create_future()
            self._lines.put((line, written))
            await written

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
        async with self._lock:
            pass

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
                self._loop.call_soon_threadsafe(_done, written)


def _done(written: "asyncio.Future[Any]") -> None:
    if not written.done():
        written.set_result(None)

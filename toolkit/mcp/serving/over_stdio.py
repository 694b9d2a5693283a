"""Over stdio: one client, one line of JSON a message; whatever is not a message is answered with an error.

The two ends are files that nobody else has: before this is used, file descriptors 0 and 1 lead elsewhere.
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
from toolkit.processes.pipes import write_all, write_cannot_block

_PORTION = 65_536
_AHEAD = 2
"""Lines that are read before the one at hand has been taken."""
_PATIENCE = 1.0
_LAST_ANSWERS = 2.0

Messages = MemoryObjectReceiveStream[SessionMessage | Exception]
Outlet = MemoryObjectSendStream[SessionMessage]


async def serve_stdio(server: ToolServer, source: int, sink: int) -> None:
    """Serve one client until it closes its end.

    Args:
        server: What is served.
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
    """Hand messages over; an error answers anything else. At the end, calls that are nearly done are answered yet."""
    async with to_protocol:
        while (line := await lines.next()) is not None:
            message = message_of(line)
            if isinstance(message, LineError):
                await writer.write(line_of(message))
            elif message is not None:
                writer.owed += isinstance(message, JSONRPCRequest)
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await to_protocol.send(SessionMessage(message))
        await writer.wait_for_owed(_LAST_ANSWERS)


async def _write(
    from_protocol: MemoryObjectReceiveStream[SessionMessage],
    writer: "_Writer",
    to_protocol: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    async with from_protocol:
        async for item in from_protocol:
            await writer.write(line_of(item.message))
            if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                writer.pay()
            if writer.is_broken:  # the client has gone: the same as the end of its messages
                await to_protocol.aclose()
                return


class _Lines:
    """The lines of a file, as a thread of its own reads them: a few ahead, and no more while nobody takes them.

    A line that is too long is cut there, and no message any more.
    """

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._places = threading.Semaphore(_AHEAD)
        threading.Thread(target=_read_lines, args=(source, self._hand_over), name="toolkit stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line; None at the end."""
        line = await self._lines.get()
        self._places.release()
        return line

    def _hand_over(self, line: bytes | None) -> None:
        self._places.acquire()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _read_lines(source: int, hand_over: Callable[[bytes | None], None]) -> None:
    with suppress(Exception):  # the loop is gone, and with it everybody who would hear of it
        line = bytearray()
        while portion := _portion_of(source):
            *ends, rest = portion.split(b"\n")
            for end in ends:
                _append(line, end)
                hand_over(bytes(line))
                line.clear()
            _append(line, rest)
        if line:
            hand_over(bytes(line))
        hand_over(None)


def _append(line: bytearray, piece: bytes) -> None:
    line += piece[: LONGEST_MESSAGE + 1 - len(line)]


def _portion_of(source: int) -> bytes:
    try:
        return os.read(source, _PORTION)
    except OSError:
        return b""


class _Writer:
    """Writes lines to a file, so that a client which does not read blocks nobody else.

    What the file takes at once is written at once; anything else waits in a thread of its own.
    """

    def __init__(self, sink: int) -> None:
        self.is_broken = False
        self.owed = 0
        self._paid = asyncio.Event()
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[tuple[bytes, asyncio.Future[Any]]] = queue.SimpleQueue()
        self._turn = asyncio.Lock()
        threading.Thread(target=self._run, name="toolkit stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write a line and wait until it is written."""
        async with self._turn:
            if self.is_broken or not line:
                return
            line += b"\n"
            if write_cannot_block(self._sink, len(line)):
                self._write(line)
                return
            written: asyncio.Future[Any] = self._loop.create_future()
            self._lines.put((line, written))
            await written

    def pay(self) -> None:
        """Take note that a request was answered."""
        self.owed -= 1
        self._paid.set()

    async def wait_for_owed(self, patience: float) -> None:
        """Wait until all requests are answered, so many seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self.owed > 0 and not self.is_broken:
                    self._paid.clear()
                    await self._paid.wait()

    async def drain(self) -> None:
        """Wait until everything is written."""
        async with self._turn:
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

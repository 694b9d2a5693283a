"""Run a server as a command, exchange messages with it line by line, and kill it with all its processes.

A server is untrusted: lines of any length, bytes that are not text and processes that refuse to exit must not affect
anything but its own session.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from toolkit.mcp.client.lines import message_of
from toolkit.mcp.client.starting import StartedServer, start_server

LONGEST_LINE = 32 * 1024 * 1024
"""Maximum size of a message from a server, in bytes."""

_CHUNK = 64 * 1024
_LAST_OUTPUT_SECONDS = 1.0
_LONGEST_LOG_LINE = 4096

_Sender = MemoryObjectSendStream[SessionMessage | Exception]
_Receiver = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def run_server(
    command: Sequence[str],
    *,
    variables: Mapping[str, str],
    folder: Path | None,
    note: Callable[[str], None],
) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server without a shell, and yield the streams of messages from it and to it; it is killed on exit.

    Args:
        command: The program and its arguments.
        variables: Environment variables, in addition to the few of this process that are safe to pass on.
        folder: The working directory; the current one by default.
        note: Called with each line of its standard error, and with a message if a line of its output is too long.

    Raises:
        OSError: If the server cannot be started.
    """
    server = await start_server(command, variables, folder, LONGEST_LINE)
    process = server.process
    from_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, to_server = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(work)
        for work in (
            _read_messages(process, from_server, note),
            _write_messages(process, to_server),
            _read_stderr(process, note),
        )
    ]
    try:
        yield received, sent
    finally:
        sent.close()
        received.close()
        await _finish(_end(server, tasks))


async def _finish(work: Awaitable[None]) -> None:
    """Finish the work even if the waiting task is cancelled, so that no process is left behind."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


async def _read_messages(process: asyncio.subprocess.Process, sender: _Sender, note: Callable[[str], None]) -> None:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    try:
        async with sender:
            try:
                while line := await process.stdout.readline():
                    if line.strip():
                        await sender.send(_message(line))
            except ValueError:
                note(f"a line has more than {LONGEST_LINE} bytes; the session ends")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # the session has been closed
    finally:
        while await process.stdout.read(_CHUNK):  # a full pipe would keep the server from exiting
            pass


def _message(line: bytes) -> SessionMessage | Exception:
    message = message_of(line)
    return message if isinstance(message, ValueError) else SessionMessage(message)


async def _write_messages(process: asyncio.subprocess.Process, receiver: _Receiver) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    with suppress(OSError):  # the server has exited, which the end of its output shows, too
        async with receiver:
            async for message in receiver:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(f"{text}\n".encode())
                await process.stdin.drain()


async def _read_stderr(process: asyncio.subprocess.Process, note: Callable[[str], None]) -> None:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    rest = b""
    while chunk := await process.stderr.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            note(line[:_LONGEST_LOG_LINE].decode("utf-8", "replace").rstrip())
        rest = rest[:_LONGEST_LOG_LINE]
    if rest:
        note(rest.decode("utf-8", "replace").rstrip())


async def _end(server: StartedServer, tasks: "Sequence[asyncio.Task[None]]") -> None:
    """Kill a server, read the rest of its output and cancel the tasks."""
    await server.end()
    await asyncio.wait(tasks, timeout=_LAST_OUTPUT_SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    if (transport := getattr(server.process, "_transport", None)) is not None:
        with suppress(OSError):  # a process with higher privileges cannot be killed again
            transport.close()

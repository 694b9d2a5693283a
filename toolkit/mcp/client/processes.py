"""Processes: a server that is a command, spoken to line by line, and ended with all that it has started.

A server is untrusted: a line of any length, bytes that are not text, and a process that ignores every request to end
must not cost more than its own session.
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
"""Bytes that one message of a server may have."""

_CHUNK = 64 * 1024
_LAST_WORDS_SECONDS = 1.0
_LONGEST_WORDS = 4096

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
    """Start a server, and yield the streams of messages from it and to it; when this is left, it is ended.

    No shell is involved. It gets the few variables of our environment that are safe to hand on, and those given.

    Args:
        command: The program and its arguments.
        variables: More of its environment.
        folder: Where it works; where we do unless given.
        note: Takes each line that it writes to its standard error, and why its output ended, if that is news.

    Raises:
        OSError: If it cannot be started.
    """
    server = await start_server(command, variables, folder, LONGEST_LINE)
    process = server.process
    from_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, to_server = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(work)
        for work in (_listen(process, from_server, note), _speak(process, to_server), _overhear(process, note))
    ]
    try:
        yield received, sent
    finally:
        sent.close()
        received.close()
        await _through(_end(server, tasks))


async def _through(work: Awaitable[None]) -> None:
    """Do work to its end, also where the task that waits for it is cancelled: no process may be left behind."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


async def _listen(process: asyncio.subprocess.Process, sender: _Sender, note: Callable[[str], None]) -> None:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    try:
        async with sender:
            try:
                while line := await process.stdout.readline():
                    if line.strip():
                        await sender.send(_message(line))
            except ValueError:
                note(f"a line of more than {LONGEST_LINE} bytes, which ends the session")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # nobody listens any more
    finally:
        while await process.stdout.read(_CHUNK):  # a full pipe would keep it from ending
            pass


def _message(line: bytes) -> SessionMessage | Exception:
    message = message_of(line)
    return message if isinstance(message, ValueError) else SessionMessage(message)


async def _speak(process: asyncio.subprocess.Process, receiver: _Receiver) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    with suppress(OSError):  # it has ended, as its output shows
        async with receiver:
            async for message in receiver:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(f"{text}\n".encode())
                await process.stdin.drain()


async def _overhear(process: asyncio.subprocess.Process, note: Callable[[str], None]) -> None:
    assert process.stderr is not None  # noqa: S101 - it was asked for
    rest = b""
    while chunk := await process.stderr.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            note(line[:_LONGEST_WORDS].decode("utf-8", "replace").rstrip())
        rest = rest[:_LONGEST_WORDS]
    if rest:
        note(rest.decode("utf-8", "replace").rstrip())


async def _end(server: StartedServer, tasks: "Sequence[asyncio.Task[None]]") -> None:
    """End a server and what listens to it; of what it has written, all is read first."""
    await server.end()
    await asyncio.wait(tasks, timeout=_LAST_WORDS_SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    if (transport := getattr(server.process, "_transport", None)) is not None:
        with suppress(OSError):  # a process that was started with more rights than ours cannot be killed again
            transport.close()

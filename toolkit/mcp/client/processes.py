"""Processes: a server that is a command, spoken to line by line, and ended with all that it has started.

A server is untrusted: a line of any length, bytes that are no text, and a process that ignores every request to end
must not cost more than its own session.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes that one message of a server may have."""

_CHUNK = 64 * 1024
_PATIENCE = 1.0
_LAST_PATIENCE = 2.0
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
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**get_default_environment(), **variables},
        cwd=folder,
        start_new_session=os.name == "posix",
        limit=LONGEST_LINE,
    )
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
        await _through(_end(process, tasks))


async def _through(work: Awaitable[None]) -> None:
    """Do work to its end, also where whoever waits for it is cancelled meanwhile: no process may be left behind."""
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
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _speak(process: asyncio.subprocess.Process, receiver: _Receiver) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    with suppress(OSError):  # it has ended, as its output tells
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


async def _end(process: asyncio.subprocess.Process, tasks: "Sequence[asyncio.Task[None]]") -> None:
    """End a server: close its input, ask it to end, make it end, with everything in its group."""
    assert process.stdin is not None  # noqa: S101 - it was asked for
    process.stdin.close()
    waiting = asyncio.create_task(_exit_of(process))
    await asyncio.wait([waiting], timeout=_PATIENCE)
    if _signal(process, "SIGTERM"):
        await _until(lambda: not _is_there(process), _LAST_PATIENCE)
        _signal(process, "SIGKILL")
    await asyncio.wait([waiting, *tasks], timeout=_LAST_PATIENCE)
    for task in (waiting, *tasks):
        task.cancel()
    await asyncio.wait([waiting, *tasks])
    if (transport := getattr(process, "_transport", None)) is not None:
        with suppress(OSError):  # a process that was started with more rights than ours cannot be killed again
            transport.close()


async def _exit_of(process: asyncio.subprocess.Process) -> None:
    # `wait` would also wait for the pipes, which a grandchild may hold.
    await _until(lambda: process.returncode is not None, None)


async def _until(holds: Callable[[], bool], seconds: float | None) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110 - nothing tells when a group of processes is empty
                await asyncio.sleep(0.01)


def _signal(process: asyncio.subprocess.Process, name: str) -> bool:
    """Send a signal to a server and everything in its group; return whether there was anybody to receive it."""
    if os.name != "posix":
        with suppress(OSError):
            process.kill()
        return process.returncode is None
    try:
        os.killpg(process.pid, getattr(signal, name))
    except ProcessLookupError:
        return False
    except PermissionError:  # it says nothing of the others
        return True
    return True


def _is_there(process: asyncio.subprocess.Process) -> bool:
    if os.name != "posix":
        return process.returncode is None
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""The wire of stdio: one JSON message a line, and an answer to every line that is none.

The SDK's own transport drops a malformed line without a word, so that whoever sent it waits for ever, and reads a line
of any length into memory. This one answers, and bounds what it reads. While it serves, what tools and their children
print goes to stderr, and they find nothing on stdin.
"""

import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import partial
from typing import NamedTuple

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from toolkit.running import in_thread

LARGEST_MESSAGE = 4 * 1024 * 1024
"""The longest line that is read, in bytes; it is what the SDK allows the body of an HTTP request."""

_CHUNK = 64 * 1024


class Streams(NamedTuple):
    """What a server reads, and what it writes to."""

    read: MemoryObjectReceiveStream[SessionMessage | Exception]
    write: MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def stdio_streams(limit: int = LARGEST_MESSAGE) -> AsyncIterator[Streams]:
    """Serve the messages of the process's stdin and stdout until stdin ends.

    Args:
        limit: The longest line that is read, in bytes; a longer one is refused.
    """
    with _standard_streams() as (stdin, stdout):
        to_server, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read_messages, stdin, limit, to_server, write.clone())
            tasks.start_soon(_write_messages, stdout, from_server)
            yield Streams(read, write)


@contextmanager
def _standard_streams() -> Iterator[tuple[int, int]]:
    """Give the wire's two ends as descriptors of our own, while 0 reads nothing and 1 is stderr.

    They are never closed: a thread that was abandoned may still wait on one, and must not meet another file under it.
    """
    sys.stdout.flush()
    stdin, stdout, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield stdin, stdout
    finally:
        sys.stdout.flush()
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)


async def _read_messages(
    stdin: int,
    limit: int,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
) -> None:
    async with to_server, answers, aclosing(_lines(stdin, limit)) as lines:
        try:
            async for line in lines:
                message = _message_of(line) if line is not None else _too_long(limit)
                if isinstance(message, JSONRPCError):
                    await answers.send(SessionMessage(message))
                elif message is not None:
                    await to_server.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the server has ended before its client


async def _lines(stdin: int, limit: int) -> AsyncGenerator[bytes | None]:
    """Yield lines without their ends; None stands for one that is too long, of which no more than the limit is kept."""
    held = bytearray()
    while chunk := await in_thread(partial(os.read, stdin, _CHUNK)):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            held += end
            yield bytes(held) if len(held) <= limit else None
            held.clear()
        held += rest[: limit + 1 - len(held)]
    if held:
        yield bytes(held) if len(held) <= limit else None


async def _write_messages(stdout: int, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with from_server:
        async for message in from_server:
            try:
                await in_thread(partial(_write_all, stdout, _line_of(message.message)))
            except OSError:
                return  # nobody reads any more


def _line_of(message: JSONRPCMessage) -> bytes:
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # half a character, say: one answer that cannot be written must not end all others
        identity = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if identity is None:
            return b""
        error = _error(identity, INTERNAL_ERROR, "Internal error: the answer has no form in JSON")
        text = error.model_dump_json(by_alias=True, exclude_unset=True)
    return text.encode() + b"\n"


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _message_of(line: bytes) -> SessionMessage | JSONRPCError | None:
    """Return the message of a line, or the error that answers it; None where nothing is to be said."""
    if not line.strip():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _answer_to(line)
    if isinstance(message, JSONRPCNotification) and b'"id"' in line:
        return _answer_to(line) or SessionMessage(message)  # a request whose id is none looks like a notification
    return SessionMessage(message)


def _answer_to(line: bytes) -> JSONRPCError | None:
    """Return the error that answers a malformed line; None where nobody waits for one."""
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        return _error(None, PARSE_ERROR, f"Parse error: a line must be one JSON message ({_shortly(error)})")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "Invalid request: a batch; send one message a line")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" in value and "id" not in value:
        return None  # a notification: nobody waits for an answer
    if "result" in value or "error" in value:
        return None  # a malformed answer: to answer it could go on for ever
    return _error(_id_of(value), INVALID_REQUEST, _what_is_wrong(value))


def _what_is_wrong(value: dict[str, object]) -> str:
    wrong = [
        words
        for is_right, words in (
            (value.get("jsonrpc") == "2.0", "'jsonrpc' must be '2.0'"),
            (_id_of(value) is not None, "'id' must be a text or an integer"),
            (isinstance(value.get("method"), str), "'method' must be a text"),
            (isinstance(value.get("params"), dict | None), "'params' must be an object"),
        )
        if not is_right
    ]
    return "Invalid request: " + ("; ".join(wrong) or "it is nested too deeply, or holds half a character")


def _id_of(value: dict[str, object]) -> RequestId | None:
    identity = value.get("id")
    if isinstance(identity, str):
        return identity if identity.encode(errors="ignore").decode() == identity else None  # half a character is none
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else None


def _shortly(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def _too_long(limit: int) -> JSONRPCError:
    return _error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit} bytes")


def _error(identity: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=identity, error=ErrorData(code=code, message=message))

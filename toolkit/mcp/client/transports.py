"""Connect to a server that is a command or an HTTP URL; its output never reaches the terminal.

A command is run, exchanges messages line by line, and is killed with all its processes. A server is untrusted: lines of
any length, bytes that are not text and processes that refuse to exit must not affect anything but its own session.
"""

import asyncio
import errno
import logging
import os
import signal
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from io import FileIO
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from toolkit.mcp.client.failure_reasons import ExplainingClient, message_of
from toolkit.mcp.settings.server_settings import HttpServer, McpServer, StdioServer, expand, texts_of, variables_in
from toolkit.mcp.sign_in.server_auth import ServerAuth
from toolkit.processes.watching import (
    end_without_warden,
    mark_environment,
    missing_support,
    open_pipe,
    read_report,
    warden_command,
)
from toolkit.redactors.redactor import RECEIVED, Redactor
from toolkit.redactors.secret_names import names_secret_variable
from toolkit.telemetry.propagation import trace_variables

_PATIENCE = 1.0
"""Seconds that a server gets to exit after its input was closed, and again after SIGTERM."""

_LAST_PATIENCE = 6.0
"""Seconds after which processes that cannot be killed are abandoned, such as those of another user."""


@dataclass(slots=True)
class StartedServer:
    """A started server and all its processes.

    Attributes:
        process: The child process: the warden, or the server itself if wardens are not supported.
        leader: Process ID of the server, which leads a process group, or `None` without a warden.
        control: File descriptor whose closing ends the warden, or `None`.
        mark: The mark that identifies the server's processes.
    """

    process: asyncio.subprocess.Process
    leader: int | None = None
    control: int | None = None
    mark: str = ""

    async def end(self) -> None:
        """Close the server's input, then send SIGTERM, then kill it with all its processes."""
        assert self.process.stdin is not None  # it is a pipe
        self.process.stdin.close()
        if not await self._has_ended(_PATIENCE):
            self._terminate()
            await self._has_ended(_PATIENCE)
        if self.control is not None:
            os.close(self.control)
            self.control = None
            with suppress(OSError):
                self.process.send_signal(signal.SIGCONT)  # the server may have stopped the warden
            await self._has_ended(_LAST_PATIENCE)
        if self.process.returncode is None:
            with suppress(OSError):
                self.process.kill()
        if self.leader is not None and self.process.returncode != 0:  # the warden was killed
            end_without_warden(self.leader, self.mark)

    def _terminate(self) -> None:
        with suppress(OSError):
            if self.leader is None:
                self.process.terminate()
            else:
                os.killpg(self.leader, signal.SIGTERM)

    async def _has_ended(self, seconds: float) -> bool:
        # `Process.wait` would also wait for the pipes, which a process outside the tree can hold open.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.process.returncode is None:  # noqa: ASYNC110 - see above
                    await asyncio.sleep(0.01)
        return self.process.returncode is not None


async def start_server(
    command: Sequence[str], variables: Mapping[str, str], folder: Path | None, longest_line: int
) -> StartedServer:
    """Start a server without a shell, connected by pipes.

    A warden makes sure that none of the server's processes outlives this one. On systems without wardens, processes
    that the server has started are not cleaned up.

    Args:
        command: The program and its arguments.
        variables: Environment variables, in addition to those that identify the current trace and the few of this
            process that are safe to pass on.
        folder: The working directory; the current one by default.
        longest_line: Maximum length of a line of its output, in bytes.

    Raises:
        OSError: If the server cannot be started.
    """
    environment = {**get_default_environment(), **trace_variables(), **variables}
    if missing_support() is not None:
        return StartedServer(await _start_with_pipes(command, environment, folder, longest_line))
    with ExitStack() as ours:  # closing the pipes ends the warden if something fails here
        (report, report_end), (control_end, control) = open_pipe(ours), open_pipe(ours)
        inherited = (report_end.fileno(), control_end.fileno())
        environment, mark = mark_environment(environment)
        process = await _start_with_pipes(
            warden_command(command, *inherited, environment), environment, folder, longest_line, inherited
        )
        report_end.close()
        reports: dict[str, int] = {}
        try:
            await _read_first_reports(report, reports)
        finally:
            if reports.keys() == {"started"}:  # the server may have killed its warden
                end_without_warden(reports["started"], mark)
        if "running" in reports:
            return StartedServer(process, reports["running"], os.dup(control.fileno()), mark)
    if "error" not in reports:
        raise OSError(errno.ECHILD, "the process that supervises it was killed", command[0])
    raise OSError(reports["error"], os.strerror(reports["error"]), command[0])


async def _read_first_reports(report: FileIO, reports: dict[str, int]) -> None:
    """Read the warden's first two reports as they come: the process ID, and whether the command has started."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), report)
    try:
        for _ in range(2):
            reports.update(read_report(await reader.readline()))
    finally:
        transport.close()


async def _start_with_pipes(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None,
    longest_line: int,
    inherited: Sequence[int] = (),
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=folder,
        pass_fds=inherited,
        start_new_session=os.name == "posix",
        limit=longest_line,
    )


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
    log: "ServerLog",
) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server without a shell, and yield the streams of messages from it and to it; it is killed on exit.

    Args:
        command: The program and its arguments.
        variables: Environment variables, in addition to the few of this process that are safe to pass on.
        folder: The working directory; the current one by default.
        log: Receives the lines of its standard error, and what else is wrong with its output.

    Raises:
        OSError: If the server cannot be started.
    """
    server = await start_server(command, variables, folder, LONGEST_LINE)
    log.note_start()
    process = server.process
    from_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, to_server = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(work)
        for work in (
            _read_messages(process, from_server, log),
            _write_messages(process, to_server),
            _read_stderr(process, log.note),
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


async def _read_messages(process: asyncio.subprocess.Process, sender: _Sender, log: "ServerLog") -> None:
    assert process.stdout is not None  # it is a pipe
    try:
        async with sender:
            try:
                while line := await process.stdout.readline():
                    if line.strip():
                        await sender.send(_message(line, log))
            except ValueError:
                log.note(f"a line has more than {LONGEST_LINE} bytes; the session ends")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        pass  # the session has been closed
    finally:
        while await process.stdout.read(_CHUNK):  # a full pipe would keep the server from exiting
            pass


def _message(line: bytes, log: "ServerLog") -> SessionMessage | Exception:
    message = message_of(line)
    if isinstance(message, ValueError):
        log.note_stray(line)
        return message
    return SessionMessage(message)


async def _write_messages(process: asyncio.subprocess.Process, receiver: _Receiver) -> None:
    assert process.stdin is not None  # it is a pipe
    with suppress(OSError):  # the server has exited, which the end of its output shows, too
        async with receiver:
            async for message in receiver:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(f"{text}\n".encode())
                await process.stdin.drain()


async def _read_stderr(process: asyncio.subprocess.Process, note: Callable[[str], None]) -> None:
    assert process.stderr is not None  # it is a pipe
    rest = b""
    while chunk := await process.stderr.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            note(_text_of(line))
        rest = rest[:_LONGEST_LOG_LINE]
    if rest:
        note(_text_of(rest))


def _text_of(line: bytes) -> str:
    return line[:_LONGEST_LOG_LINE].decode("utf-8", "replace").rstrip()


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


LARGEST_ANSWER = 32 * 1024 * 1024
"""Maximum size of an HTTP response in bytes."""

_LINES_KEPT = 20

# Without a handler, logging would print the SDK's warnings, which may contain what a server has sent.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())

Values = tuple[tuple[str, str], ...]
"""Names and values of a server's environment variables, or of the HTTP headers sent to it."""


def values_for(server: McpServer, context: Mapping[str, Any]) -> Values:
    """Return the environment variables or headers for a server, which identify the caller.

    Raises:
        ConfigurationError: If a variable or context value that they refer to is not set.
    """
    texts = server.env if isinstance(server, StdioServer) else _each_once(server.headers)
    user = f"MCP server '{server.name}'"
    return tuple((name, expand(text, f"{user}: '{name}'", context)) for name, text in sorted(texts.items()))


def _each_once(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers without those that have the name of a later one; names that differ only in case are the same."""
    return dict({name.lower(): (name, text) for name, text in headers.items()}.values())


def redactor_of(server: McpServer, values: Values) -> Redactor:
    """Return a redactor for the server's answers, which knows the secrets that the server receives.

    Args:
        server: The server. Environment variables in its settings whose names suggest secrets count as secrets.
        values: Its environment variables or headers. Those whose names suggest secrets count, too.
    """
    redactor = Redactor(outer=RECEIVED, by_format=False)
    secrets = [text for name, text in values if names_secret_variable(name)]
    taken = [
        os.environ.get(name, "")
        for name in variables_in(dict(enumerate(texts_of(server))))
        if names_secret_variable(name)
    ]
    for text in secrets + taken:
        redactor.learn(text, *text.split())
    return redactor


class ServerLog:
    """Logs the lines of a server's standard error, and keeps the last ones for error messages.

    Attributes:
        started: When the process was started, or the first HTTP answer arrived, by `perf_counter`; `None` before that.
    """

    def __init__(self, name: str, redactor: Redactor) -> None:
        self.started: float | None = None
        self._strays = 0
        self._first_stray = ""
        self._redactor = redactor
        self._log = logging.getLogger(f"toolkit.mcp.{name}")
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)

    @property
    def lines(self) -> list[str]:
        """The last lines that are not blank, oldest first."""
        return [line for line in self._lines if line.strip()]

    @property
    def strays(self) -> str:
        """How many lines of its standard output are not messages, and the first one; empty if all are messages."""
        if not self._strays:
            return ""
        lines = "1 line is not a message" if self._strays == 1 else f"{self._strays} lines are not messages"
        return f"on its standard output, {lines}: {self._first_stray}"

    def note(self, line: str) -> None:
        text = self._redactor.text(line)
        self._lines.append(text)
        self._log.info("%s", text)

    def note_start(self) -> None:
        """Record that the server was reached; only the first time counts."""
        if self.started is None:
            self.started = perf_counter()

    def note_stray(self, line: bytes) -> None:
        """Count a line on its standard output that is not a message."""
        self._strays += 1
        self._first_stray = self._first_stray or self._redactor.text(_text_of(line))


Streams = tuple[Any, Any]


def open_transport(
    server: McpServer, values: Values, log: ServerLog, auth: ServerAuth | None = None
) -> AbstractAsyncContextManager[Streams]:
    """Return a context manager that opens the streams of a server, and closes them on exit.

    Args:
        server: The server.
        values: Its environment variables or headers.
        log: Receives its standard error, and when it was reached.
        auth: Authorizes the requests to it, if it is reached over HTTP.
    """
    if isinstance(server, HttpServer):
        return _over_http(server, values, log, auth)
    return _as_command(server, values, log)


@asynccontextmanager
async def _as_command(server: StdioServer, values: Values, log: ServerLog) -> AsyncIterator[Streams]:
    user = f"MCP server '{server.name}'"
    command = [expand(text, user) for text in (server.command, *server.args)]
    async with run_server(command, variables=dict(values), folder=server.cwd, log=log) as streams:
        yield streams


@asynccontextmanager
async def _over_http(
    server: HttpServer, values: Values, log: ServerLog, auth: ServerAuth | None
) -> AsyncIterator[Streams]:
    times = httpx2.Timeout(server.start_timeout, read=None)

    async def note_start(_: httpx2.Response) -> None:
        log.note_start()

    hooks = {"response": [_bound, note_start]}
    async with (
        ExplainingClient(
            headers=dict(values), auth=auth, timeout=times, event_hooks=hooks, verify=certificates()
        ) as client,
        streamable_http_client(expand(server.url, f"MCP server '{server.name}'"), http_client=client) as (read, write),
    ):
        yield read, write


@cache
def certificates() -> ssl.SSLContext:
    """Return an SSL context, which is cached: loading the certificates takes longer than the rest of a session."""
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """Limit the size of a response that is not an event stream."""
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _BoundedStream(response.stream, response.request)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, request: httpx2.Request) -> None:
        self._inner = inner
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError(f"the answer has more than {LARGEST_ANSWER} bytes", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()

"""Start a server as a command, and kill it with all its processes."""

import asyncio
import errno
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from mcp.client.stdio import get_default_environment

from toolkit.processes.pipes import open_pipe
from toolkit.processes.watching import (
    end_without_warden,
    mark_environment,
    missing_support,
    read_report,
    warden_command,
)
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
        assert self.process.stdin is not None  # noqa: S101 - it is a pipe
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
        reports = await _first_reports(report)
        if "running" in reports:
            return StartedServer(process, reports["running"], os.dup(control.fileno()), mark)
    number = reports.get("error", errno.ECHILD)
    raise OSError(number, os.strerror(number), command[0])


async def _first_reports(report: FileIO) -> dict[str, int]:
    """Return the warden's first two reports: the process ID, and whether the command has started."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), report)
    try:
        return read_report(await reader.readline() + await reader.readline())
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

"""Starting: a server that is a command is started, and ended with all that it has started."""

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
"""Seconds that a server has to end of itself when its input has ended, and again when it is asked to."""

_LAST_PATIENCE = 6.0
"""Seconds after which what cannot be ended is left, such as a process of another user."""


@dataclass(slots=True)
class StartedServer:
    """A server that was started, with all that it starts.

    Attributes:
        process: What our pipes lead to: the warden, or the server where there is none.
        leader: The process of the server, which leads a group; None where there is no warden.
        control: What the warden lives as long as.
        mark: The mark of all that the server starts.
    """

    process: asyncio.subprocess.Process
    leader: int | None = None
    control: int | None = None
    mark: str = ""

    async def end(self) -> None:
        """End it: close its input, ask it to end, and make it end, with all that it has started."""
        assert self.process.stdin is not None  # noqa: S101 - it was asked for
        self.process.stdin.close()
        if not await self._has_ended(_PATIENCE):
            self._ask()
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
        if self.leader is not None and self.process.returncode != 0:  # somebody has killed the warden
            end_without_warden(self.leader, self.mark)

    def _ask(self) -> None:
        with suppress(OSError):
            if self.leader is None:
                self.process.terminate()
            else:
                os.killpg(self.leader, signal.SIGTERM)

    async def _has_ended(self, seconds: float) -> bool:
        # `Process.wait` would also wait for the pipes, which a process that has left the tree may hold.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.process.returncode is None:  # noqa: ASYNC110 - see above
                    await asyncio.sleep(0.01)
        return self.process.returncode is not None


async def start_server(
    command: Sequence[str], variables: Mapping[str, str], folder: Path | None, longest_line: int
) -> StartedServer:
    """Start a server, with pipes to and from it; no shell is involved.

    It gets the few variables of our environment that are safe to hand on, those of the trace that its start belongs to,
    and those given. A warden watches over it, so that nothing of it outlives us, however we end; where there can be
    none, what the server starts is its own business.

    Args:
        command: The program and its arguments.
        variables: More of its environment.
        folder: Where it works; where we do unless given.
        longest_line: Bytes that a line of it may have.

    Raises:
        OSError: If it cannot be started.
    """
    environment = {**get_default_environment(), **trace_variables(), **variables}
    if missing_support() is not None:
        return StartedServer(await _piped(command, environment, folder, longest_line))
    with ExitStack() as ours:  # what closes with it ends the warden, where something goes wrong meanwhile
        (report, report_end), (control_end, control) = open_pipe(ours), open_pipe(ours)
        handed = (report_end.fileno(), control_end.fileno())
        environment, mark = mark_environment(environment)
        process = await _piped(warden_command(command, *handed, environment), environment, folder, longest_line, handed)
        report_end.close()
        words = await _first_words(report)
        if "running" in words:
            return StartedServer(process, words["running"], os.dup(control.fileno()), mark)
    number = words.get("error", errno.ECHILD)
    raise OSError(number, os.strerror(number), command[0])


async def _first_words(report: FileIO) -> dict[str, int]:
    """Return what a warden reports first: its process, and that this is the command now, or why it cannot be."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), report)
    try:
        return read_report(await reader.readline() + await reader.readline())
    finally:
        transport.close()


async def _piped(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path | None,
    longest_line: int,
    handed: Sequence[int] = (),
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=folder,
        pass_fds=handed,
        start_new_session=os.name == "posix",
        limit=longest_line,
    )

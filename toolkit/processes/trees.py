"""Process trees: a command is run to its end, and nothing that it started outlives it, us, or the time it has."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.processes.pipes import open_pipe
from toolkit.processes.watching import end_without_warden, marked, read_report, watched

_CHUNK: Final = 64 * 1024
_PATIENCE: Final = 10.0
_WAKING: Final = 0.5


class StartError(Exception):
    """A command could not be started; the message says why."""


class Ended(NamedTuple):
    """How a command ended.

    Attributes:
        status: Its exit status; negative for the signal that ended it.
        output: What it wrote, as much as was to be kept.
        errors: What it wrote to its standard error, likewise.
        output_is_cut: Whether there was more output.
    """

    status: int
    output: bytes
    errors: bytes
    output_is_cut: bool


async def run_command(
    command: Sequence[str],
    feed: bytes = b"",
    *,
    directory: Path | None = None,
    variables: Mapping[str, str] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - running out of it ends the processes, which a scope cannot
    max_bytes: int = 1024 * 1024,
) -> Ended:
    """Run a command without any shell, with the environment that there is, and return how it ended.

    When it ends, when the time is over, when the call is cancelled, and when this process dies, everything that the
    command started is killed; on Linux also what moved to a session of its own.

    Args:
        command: The program and its arguments.
        feed: What it can read from its standard input.
        directory: Where it runs; the current directory unless it is given.
        variables: More of its environment.
        timeout: Seconds that it may take.
        max_bytes: How much of each of its outputs is kept; the rest is read and dropped.

    Raises:
        StartError: If it cannot be started.
        TimeoutError: If it was killed since the time was over.
    """
    from anyio import create_task_group, fail_after

    with ExitStack() as stack:
        output, errors, report = _Capture(max_bytes), _Capture(max_bytes), _Capture(_CHUNK)
        environment, mark = marked({**os.environ, **(variables or {})})
        with _watched(command, environment, directory, stack, (output, errors, report)) as (warden, stdin, control):
            try:
                with fail_after(timeout):
                    async with create_task_group() as group:
                        group.start_soon(_keep_awake, warden, _WAKING)
                        async with create_task_group() as pipes:
                            pipes.start_soon(_write, stdin, feed)
                            pipes.start_soon(output.read)
                            pipes.start_soon(errors.read)
                            await report.read()
                            if "exit" not in read_report(report.kept):
                                pipes.cancel_scope.cancel()
                        group.cancel_scope.cancel()
            finally:
                control.close()
                await _end(warden, report, mark)
    outcome = read_report(report.kept)
    if "error" in outcome:
        raise StartError(_reason(outcome["error"], command[0]))
    if "exit" not in outcome:
        raise StartError(f"what watches over it was killed: '{command[0]}'")
    return Ended(outcome["exit"], bytes(output.kept), bytes(errors.kept), output.is_cut)


class _Capture:
    """Reads one output to its end, and keeps the beginning."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.kept = bytearray()
        self.is_cut = False
        self.source: FileIO

    async def read(self) -> None:
        from anyio import wait_readable

        while True:
            await wait_readable(self.source)
            try:
                chunk = os.read(self.source.fileno(), _CHUNK)
            except BlockingIOError:
                continue
            if not chunk:
                return
            room = self._limit - len(self.kept)
            self.kept += chunk[:room]
            self.is_cut = self.is_cut or len(chunk) > room


async def _keep_awake(warden: subprocess.Popen[bytes], seconds: float) -> None:
    """Wake the warden every few seconds: the command may have stopped it."""
    from anyio import sleep

    while True:
        warden.send_signal(signal.SIGCONT)
        await sleep(seconds)


async def _write(target: FileIO, feed: bytes) -> None:
    """Write as the command reads; one that reads no more needs no more."""
    from anyio import wait_writable

    rest = memoryview(feed)
    try:
        while rest:
            await wait_writable(target)
            try:
                rest = rest[os.write(target.fileno(), rest[:_CHUNK]) :]
            except BlockingIOError:
                continue
    except BrokenPipeError:
        pass
    finally:
        target.close()


@contextmanager
def _watched(
    command: Sequence[str],
    environment: dict[str, str],
    directory: Path | None,
    stack: ExitStack,
    captures: Sequence[_Capture],
) -> Iterator[tuple[subprocess.Popen[bytes], FileIO, FileIO]]:
    """Start the warden with the command; yield it, the standard input, and what it lives as long as."""
    stdin_end, stdin = open_pipe(stack)
    control_end, control = open_pipe(stack)
    ends = []
    for capture in captures:
        capture.source, end = open_pipe(stack)
        os.set_blocking(capture.source.fileno(), False)
        ends.append(end)
    os.set_blocking(stdin.fileno(), False)
    output, errors, report = ends
    handed = (report.fileno(), control_end.fileno())
    try:
        warden = subprocess.Popen(  # noqa: S603 - the command is its user's own
            watched(command, *handed, environment),
            env=environment,
            stdin=stdin_end,
            stdout=output,
            stderr=errors,
            pass_fds=handed,
            cwd=directory,
            start_new_session=True,
        )
    except OSError as error:
        raise StartError(_reason(error.errno or 0, str(error.filename or command[0]))) from None
    for end in (stdin_end, control_end, *ends):
        end.close()
    try:
        yield warden, stdin, control
    finally:
        if warden.poll() is None:
            warden.kill()
            warden.wait()


async def _end(warden: subprocess.Popen[bytes], report: _Capture, mark: str) -> None:
    """Wait until the warden has ended everything and itself; it keeps its report open as long."""
    from anyio import CancelScope, create_task_group, move_on_after

    with CancelScope(shield=True), move_on_after(_PATIENCE):
        async with create_task_group() as group:
            group.start_soon(_keep_awake, warden, _WAKING / 10)
            await report.read()
            group.cancel_scope.cancel()
        warden.wait()
    outcome = read_report(report.kept)
    if "started" in outcome and warden.returncode != 0:  # somebody has killed it, and it has ended nothing
        end_without_warden(outcome["started"], mark)


def _reason(number: int, name: str) -> str:
    return f"{os.strerror(number).lower()}: '{name}'"

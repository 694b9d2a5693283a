"""Run a command to its end; no process that it starts outlives it, its timeout or this process."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.processes.watching import end_without_warden, mark_environment, open_pipe, read_report, warden_command

_CHUNK: Final = 64 * 1024
_PATIENCE: Final = 10.0
_WAKING: Final = 0.5


class StartError(Exception):
    """Raised if a command cannot be started. The message says why."""


class Ended(NamedTuple):
    """The result of a command.

    Attributes:
        status: Exit status, or the negative number of the signal that ended it.
        output: Standard output, up to the limit.
        errors: Standard error, up to the limit.
        output_is_cut: Whether standard output was longer than the limit.
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
    """Run a command without a shell, and return its result.

    Every process that the command started is killed when the command ends, when it times out, when the call is
    cancelled and when this process dies; on Linux that includes processes that moved to another session.

    Args:
        command: The program and its arguments.
        feed: Bytes for its standard input.
        directory: Its working directory; the current directory by default.
        variables: Environment variables to set in addition to those of this process.
        timeout: Timeout in seconds; `None` means no timeout.
        max_bytes: Maximum number of bytes to keep of each output stream; the rest is read and discarded.

    Raises:
        StartError: If the command cannot be started.
        TimeoutError: If the command timed out and was killed.
    """
    from anyio import create_task_group, fail_after

    with ExitStack() as stack:
        output, errors, report = _Capture(max_bytes), _Capture(max_bytes), _Capture(_CHUNK)
        environment, mark = mark_environment({**os.environ, **(variables or {})})
        with _under_warden(command, environment, directory, stack, (output, errors, report)) as (
            warden,
            stdin,
            control,
        ):
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
        raise StartError(f"the process that supervises it was killed: '{command[0]}'")
    return Ended(outcome["exit"], bytes(output.kept), bytes(errors.kept), output.is_cut)


class _Capture:
    """Reads an output stream to its end, and keeps the beginning."""

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
    """Send the warden `SIGCONT` at intervals, since the command may have stopped it."""
    from anyio import sleep

    while True:
        warden.send_signal(signal.SIGCONT)
        await sleep(seconds)


async def _write(target: FileIO, feed: bytes) -> None:
    """Write as fast as the command reads; stop if it closes its standard input."""
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
def _under_warden(
    command: Sequence[str],
    environment: dict[str, str],
    directory: Path | None,
    stack: ExitStack,
    captures: Sequence[_Capture],
) -> Iterator[tuple[subprocess.Popen[bytes], FileIO, FileIO]]:
    """Start the warden with the command; yield the warden, the command's standard input and the control pipe."""
    stdin_end, stdin = open_pipe(stack)
    control_end, control = open_pipe(stack)
    ends = []
    for capture in captures:
        capture.source, end = open_pipe(stack)
        os.set_blocking(capture.source.fileno(), False)
        ends.append(end)
    os.set_blocking(stdin.fileno(), False)
    output, errors, report = ends
    inherited = (report.fileno(), control_end.fileno())
    try:
        warden = subprocess.Popen(  # noqa: S603 - the user chose the command
            warden_command(command, *inherited, environment),
            env=environment,
            stdin=stdin_end,
            stdout=output,
            stderr=errors,
            pass_fds=inherited,
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
    """Wait until the warden has killed everything and exited; its report pipe stays open until then."""
    from anyio import CancelScope, create_task_group, move_on_after

    with CancelScope(shield=True), move_on_after(_PATIENCE):
        async with create_task_group() as group:
            group.start_soon(_keep_awake, warden, _WAKING / 10)
            await report.read()
            group.cancel_scope.cancel()
        warden.wait()
    outcome = read_report(report.kept)
    if "started" in outcome and warden.returncode != 0:  # the warden itself was killed, and has not cleaned up
        end_without_warden(outcome["started"], mark)


def _reason(number: int, name: str) -> str:
    return f"{os.strerror(number).lower()}: '{name}'"

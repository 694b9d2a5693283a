"""Run commands under a warden, a separate process that kills everything the command has started.

The warden inherits two pipes: the write end of its report pipe and the read end of its control pipe. It starts the
command with its own streams, environment and working directory, and kills the whole process tree when the control
pipe is closed.
"""

import os
import select
import signal
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import Final

_MARK: Final = "TOOLKIT_WARDEN"
"""Environment variable that identifies the processes of a command when its warden is gone."""
_PATIENCE: Final = 2.0

_WARDEN: Final = Path(__file__).with_name("warden.py")


def missing_support() -> str | None:
    """Return why this system cannot run commands under a warden, or `None` if it can."""
    if os.name != "posix":
        return "this system cannot kill a command together with its child processes; use Linux, macOS or another Unix"
    return None if sys.executable else "the Python interpreter, which supervises commands, cannot be found"


def warden_command(command: Sequence[str], report: int, control: int, environment: Mapping[str, str]) -> list[str]:
    """Return the command line that starts a warden for a command.

    Args:
        command: The program and its arguments.
        report: File descriptor that the warden writes its report to.
        control: File descriptor whose closing ends the warden.
        environment: Environment variables of the warden and the command.
    """
    locale = environment.get("LC_CTYPE", "")
    return [sys.executable, "-I", "-S", str(_WARDEN), str(report), str(control), locale, *command]


def mark_environment(environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the environment for a warden, and the unique mark in it that every process of the command inherits."""
    mark = os.urandom(16).hex()
    return {**environment, _MARK: mark}, mark


def end_without_warden(leader: int, mark: str) -> None:
    """Kill the processes of a command whose warden was killed.

    These are the processes of its group, and on Linux also those in its session or with its mark. A process that has
    left the session, lost its parent and cleared its environment is not found.

    Args:
        leader: Process ID of the command.
        mark: The mark that `mark_environment` returned.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    deadline = time.monotonic() + _PATIENCE
    while (left := list(_left_of(leader, mark))) and time.monotonic() < deadline:
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def _left_of(leader: int, mark: str) -> Iterator[int]:
    entry = f"{_MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            state, _, _, session = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:4]
            is_ours = int(session) == leader or entry in (folder / "environ").read_bytes().split(b"\0")
            if is_ours and state not in {b"Z", b"X"}:
                yield int(folder.name)


def read_report(report: bytes | bytearray) -> dict[str, int]:
    """Return the numbers that a warden has reported so far, by the first word of each line."""
    lines = (line.split() for line in report.decode().splitlines())
    return {what: int(number) for what, number in lines}


def open_pipe(stack: ExitStack) -> tuple[FileIO, FileIO]:
    """Return the read end and the write end of a new pipe; the stack closes both."""
    source, target = os.pipe()
    return stack.enter_context(FileIO(source, "rb")), stack.enter_context(FileIO(target, "wb"))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data to a file descriptor, in as many writes as needed.

    Raises:
        OSError: If a write fails.
    """
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def write_cannot_block(descriptor: int, size: int) -> bool:
    """Return whether a write of `size` bytes to a file descriptor is guaranteed not to block.

    Only pipes guarantee this: a writable pipe accepts `PIPE_BUF` bytes, as long as no other process writes to it
    (POSIX, `write` and `pipe`).
    """
    if not hasattr(select, "poll") or size > select.PIPE_BUF or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))

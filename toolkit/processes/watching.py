"""Watching: a command is started by a warden, a program of its own that ends all that the command has started.

Its parent gives a warden the write end of one pipe, its report, and the read end of another, its control. It
starts the command with its own streams, environment and folder, and ends it with its tree when the control is closed.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_MARK: Final = "TOOLKIT_WARDEN"
"""The variable by which everything that a warden's command has started is found without the warden."""
_PATIENCE: Final = 2.0

_WARDEN: Final = Path(__file__).with_name("warden.py")


def missing_support() -> str | None:
    """Return why commands cannot be watched over here, or `None` if they can."""
    if os.name != "posix":
        return "this system cannot end a command with everything that it started; it needs Linux, macOS or another Unix"
    return None if sys.executable else "the Python interpreter that watches over commands cannot be found"


def watched(command: Sequence[str], report: int, control: int, environment: Mapping[str, str]) -> list[str]:
    """Return the command line of a warden for a command.

    Args:
        command: The program and its arguments.
        report: The descriptor that it reports to.
        control: The descriptor that it lives as long as.
        environment: What the warden is started with, and the command is to have.
    """
    locale = environment.get("LC_CTYPE", "")
    return [sys.executable, "-I", "-S", str(_WARDEN), str(report), str(control), locale, *command]


def marked(environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return an environment for a warden, and the mark in it that all that the command starts will carry."""
    mark = os.urandom(16).hex()
    return {**environment, _MARK: mark}, mark


def end_without_warden(leader: int, mark: str) -> None:
    """End what a command has started whose warden was killed.

    That is its group, and on Linux every process in its session or with its mark. What has left the session, lost its
    parent and cleared its environment is not found.

    Args:
        leader: The process of the command.
        mark: The mark of the warden.
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
    """Return what a warden has reported so far, by the first word of each line."""
    lines = (line.split() for line in report.decode().splitlines())
    return {what: int(number) for what, number in lines}

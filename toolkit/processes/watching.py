"""Watching: a command is started by a warden, a program of its own that ends all that the command has started.

Whoever starts a warden gives it the write end of one pipe, its report, and the read end of another, its control. It
starts the command with its own streams, environment and folder, and ends it with its tree when the control is closed.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

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


def read_report(report: bytes | bytearray) -> dict[str, int]:
    """Return what a warden has reported so far, by the first word of each line."""
    lines = (line.split() for line in report.decode().splitlines())
    return {what: int(number) for what, number in lines}

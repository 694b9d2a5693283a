"""Starts the child processes that run users' code, one of them early, before its work is known.

This module imports little, so that the early process can do its imports while this one does its own.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter


Work = Literal["lint.engine.collecting", "lint.engine.judging", "testing.calling"]
"""The work of a child process: the module with its `main` function."""

# The child has the import path of this process, without the working directory.
_START: Final = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from toolkit.{} import main; main()"

_ahead: Final[list[subprocess.Popen[str]]] = []


@contextmanager
def head_start() -> Iterator[subprocess.Popen[str]]:
    """Start the process that opens files now; the first worker in the block that needs one uses it.

    If none does, the process ends with the block. It runs no user code before it receives a request.
    """
    process = _start(_own_command("lint.engine.collecting"))
    _ahead.append(process)
    try:
        yield process
    finally:
        if process in _ahead:
            _ahead.remove(process)
            with process:
                process.kill()


def start_process(work: Work, interpreter: "Interpreter | None" = None) -> subprocess.Popen[str]:
    """Return a process for some work, with requests through its standard input: the early one if it fits.

    Args:
        work: The work of the process.
        interpreter: The Python to run; by default, the current one.
    """
    command = _own_command(work) if interpreter is None else interpreter.command(f"toolkit.{work}")
    if _ahead and _ahead[-1].args == command:
        return _ahead.pop()
    return _start(command)


def _own_command(work: Work) -> list[str]:
    """Return the command that runs the `main` function of a module with the current Python."""
    return [sys.executable, "-P", "-c", _START.format(work), json.dumps([str(entry) for entry in sys.path])]


def _start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - the command is the current Python or the user's choice, with no input from files
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )

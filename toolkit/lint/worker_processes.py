"""Worker processes: how a child process of lint starts, and one that starts before it is known what it is asked.

Little is imported here, since the process that starts ahead imports its part while this one imports its own.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from toolkit.lint.interpreters import Interpreter

Work = Literal["collecting", "judging"]
"""What a child does: the module that holds its `main`."""

# The child imports what this process imports, and nothing that happens to lie in the working directory.
_START: Final = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from toolkit.lint.{} import main; main()"

_ahead: Final[list[subprocess.Popen[str]]] = []


@contextmanager
def head_start() -> Iterator[subprocess.Popen[str]]:
    """Start the process that opens files now; the first worker within that needs one takes it.

    If none does, the process ends with the block. Nobody's code runs in it before it is asked to open a file.
    """
    process = _start(_own_command("collecting"))
    _ahead.append(process)
    try:
        yield process
    finally:
        if process in _ahead:
            _ahead.remove(process)
            with process:
                process.kill()


def start_process(work: Work, interpreter: "Interpreter | None" = None) -> subprocess.Popen[str]:
    """Return a process that does some work, asked through its standard input: the one that started ahead if it fits.

    Args:
        work: What it does.
        interpreter: The Python that it is a process of; this one unless given.
    """
    command = _own_command(work) if interpreter is None else interpreter.command(work)
    if _ahead and _ahead[-1].args == command:
        return _ahead.pop()
    return _start(command)


def _own_command(work: Work) -> list[str]:
    """Return the command that runs the `main` of a module of this room with this very Python."""
    return [sys.executable, "-P", "-c", _START.format(work), json.dumps([str(entry) for entry in sys.path])]


def _start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - this very Python or the one that the user named, and nothing of a file in the arguments
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )

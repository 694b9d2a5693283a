"""Explains why the process that opened a file ended."""

import re
import signal
from pathlib import Path

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.limits import Limits
from toolkit.lint.workers import Ending
from toolkit.problems import Location, Problem
from toolkit.source_code.module_files import is_installed

_CRASHES = {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"}
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)


def problem_of(ending: Ending, target: str, limits: Limits) -> Problem:
    """Return the problem of a file that ended the process, with the location in the user's code."""
    place = _place(ending) or Location(target)
    name = Path(target).name
    if ending.is_late:
        message = f"'{name}' did not finish: importing it took longer than {limits.seconds:g} s"
        return Problem(DOES_NOT_IMPORT, message, place, hint=_GUARD)
    message, hint = _describe(ending.status)
    return Problem(DOES_NOT_IMPORT, f"'{name}' {message} while it was opened", place, hint=hint)


_GUARD = "move what a script does under `if __name__ == '__main__':`"


def _describe(status: int) -> tuple[str, str]:
    if status >= 0:
        return f"ended the process with exit status {status}", _GUARD
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    if name in _CRASHES:
        return f"crashed Python ({name})", "a compiled extension module crashed; remove imports to find out which"
    memory = "; the system also does that when memory runs out" if name == "SIGKILL" else ""
    return f"was killed ({name})", f"look for what sends this signal{memory}"


def _place(ending: Ending) -> Location | None:
    """Return the innermost place in the user's code: of the thread that crashed, or of the first one on a timeout."""
    threads = re.split(r"^(?:Current thread|Thread|Stack) ", ending.trace, flags=re.MULTILINE)[1:]
    own = [place for thread in threads if (place := _innermost(thread))]
    return own[-1 if ending.is_late else 0] if own else None


def _innermost(thread: str) -> Location | None:
    for file, line in _FRAME.findall(thread):
        if not is_installed(file):
            return Location(file, int(line))
    return None

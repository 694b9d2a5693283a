"""Stdin as data: what was piped or redirected into the program."""

import os
import stat
import sys
from collections.abc import Callable

from toolkit.problems import Problem


def piped_text() -> Callable[[], str | Problem] | None:
    """Return how to read what was piped into stdin, or `None` if it is a terminal or nothing at all.

    Nothing is read before it is wanted: a pipe that nobody writes to would hold the program up.
    """
    stdin = sys.stdin
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or put in its place by a test
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return None
    return _read


def _read() -> str | Problem:
    """Return the text on stdin, without the newline that `echo` and most files end with."""
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        return Problem("", f"stdin is not UTF-8 text (byte {error.start} is not)")

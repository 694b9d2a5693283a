"""Reads data that is piped or redirected into stdin."""

import os
import stat
import sys
from collections.abc import Callable

from toolkit.problems import Problem


def piped_text() -> Callable[[], str | Problem] | None:
    """Return a function that reads stdin, or `None` if stdin is a terminal or closed.

    Stdin is only read if the text is needed, since a pipe without a writer would block.
    """
    stdin = sys.stdin
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or replaced in a test
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return None
    return _read


def _read() -> str | Problem:
    """Return the text on stdin without its last newline, which `echo` and most files add."""
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        return Problem("", f"stdin is not UTF-8 text (byte {error.start} is not)")

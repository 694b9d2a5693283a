"""Stdin texts: what an editor has not saved yet is checked as if it stood in a file."""

import sys
from collections.abc import Sequence

from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.excerpts import stand_in

STDIN = "-"


def text_of_stdin(paths: Sequence[str], filename: str | None, *, writes: bool) -> str | None:
    """Return the text on stdin where that is what is to be checked.

    Args:
        paths: What is to be checked, as it was typed; `-` means stdin.
        filename: The file that the text stands for.
        writes: Whether files are to be changed.

    Raises:
        Failure: If something else is to be checked too, the name of the file is missing, files are to be
            changed, or the text is not UTF-8.
    """
    if STDIN not in paths:
        if filename is not None:
            raise Failure(ExitCode.USAGE, "'--stdin-filename' is for a text on stdin", hint="write `-` as the path")
        return None
    if filename is None or len(paths) > 1 or writes:
        _refuse(filename, is_alone=len(paths) == 1)
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise Failure(ExitCode.USAGE, f"stdin is not UTF-8: {error.reason} at byte {error.start}") from error
    stand_in(str(filename), text)
    return text


def _refuse(filename: str | None, *, is_alone: bool) -> None:
    if not is_alone:
        raise Failure(ExitCode.USAGE, "a text on stdin is checked alone", hint="leave out the other paths")
    if filename is None:
        hint = "name its file: --stdin-filename tools.py"
        raise Failure(ExitCode.USAGE, "the text on stdin needs the name of a file", hint=hint)
    raise Failure(ExitCode.USAGE, "a text on stdin cannot be changed", hint="leave out --fix, --diff and --add-noqa")

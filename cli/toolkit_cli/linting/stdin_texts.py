"""Checks unsaved text from an editor, passed on stdin, as if it were in a file."""

import sys
from collections.abc import Sequence

from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.excerpts import stand_in

STDIN = "-"


def text_of_stdin(paths: Sequence[str], filename: str | None, *, writes: bool) -> str | None:
    """Return the text on stdin, or `None` if stdin is not checked.

    Args:
        paths: The paths as typed; `-` means stdin.
        filename: The name of the file that the text belongs to.
        writes: Whether the command would change files.

    Raises:
        Failure: If there are other paths, the file name is missing, files would be changed, or the text is not
            UTF-8.
    """
    if STDIN not in paths:
        if filename is not None:
            raise Failure(
                ExitCode.USAGE, "'--stdin-filename' works only with text on stdin", hint="use `-` as the path"
            )
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
        raise Failure(
            ExitCode.USAGE, "stdin cannot be checked together with other paths", hint="leave out the other paths"
        )
    if filename is None:
        hint = "pass it: --stdin-filename tools.py"
        raise Failure(ExitCode.USAGE, "text on stdin needs a file name", hint=hint)
    raise Failure(ExitCode.USAGE, "text on stdin cannot be changed", hint="leave out --fix, --diff and --add-noqa")

"""Reads regular files of a limited size, and nothing else, so that no file can block the program or fill its memory.

A folder from someone else may contain a pipe without a writer, a link to an endless device, or a huge sparse file
under any name. Everything that the program reads on its own initiative is read here. Files that
users name as data, such as `name=@file` or the items of a batch, can be pipes.
"""

import os
from errno import EAGAIN, EFBIG, EINVAL, EISDIR
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

MOST_OF_SOURCE = 16 * 1024 * 1024
"""Maximum size of a file that is only read, in bytes."""
MOST_OF_PYTHON = 4 * 1024 * 1024
"""Maximum size of a Python file that is parsed or run, in bytes: its syntax tree takes a hundred times its size."""

# Opening a pipe without a writer would block, and a terminal would become our controlling terminal.
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def bounded_bytes(file: str | Path, *, most: int = MOST_OF_SOURCE) -> bytes:
    """Return the contents of a regular file.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or has more than `most` bytes.
        ValueError: If its name contains a null character.
    """
    with open_regular(file) as stream:
        if os.fstat(stream.fileno()).st_size > most:
            raise _too_large(file, most)
        data: bytes | None = stream.read(most + 1)
    if data is None:  # some files of /proc have no data until something happens
        raise BlockingIOError(EAGAIN, "it has no data yet", str(file))
    if len(data) > most:
        raise _too_large(file, most)
    return data


def bounded_text(file: str | Path, *, most: int = MOST_OF_SOURCE) -> str:
    """Return the text of a regular file; bytes that are not UTF-8 are replaced.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or has more than `most` bytes.
        ValueError: If its name contains a null character.
    """
    return bounded_bytes(file, most=most).decode("utf-8", "replace")


def open_regular(file: str | Path) -> BinaryIO:
    """Open a regular file to read a part of it; the caller closes it.

    Raises:
        OSError: If the file cannot be opened, or is not a regular file.
        ValueError: If its name contains a null character.
    """
    # Opening some devices has an effect, so the file is checked before it is opened, and again afterwards.
    _refuse_unless_regular(os.stat(file), file)  # noqa: PTH116 - creating Path objects is slow for thousands of files
    stream = open(file, "rb", opener=_open)  # noqa: SIM115 - only this takes an opener, and the caller closes it
    try:
        _refuse_unless_regular(os.fstat(stream.fileno()), file)
    except OSError:
        stream.close()
        raise
    return stream


def _open(file: str, flags: int) -> int:
    return os.open(file, flags | _FLAGS)


def _refuse_unless_regular(status: os.stat_result, file: str | Path) -> None:
    if S_ISDIR(status.st_mode):
        raise IsADirectoryError(EISDIR, "it is a directory", str(file))
    if not S_ISREG(status.st_mode):
        raise OSError(EINVAL, "it is not a regular file", str(file))


def _too_large(file: str | Path, most: int) -> OSError:
    return OSError(EFBIG, f"it is larger than {most:,} bytes", str(file))

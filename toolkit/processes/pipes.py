"""Pipes: making one, writing all of some data into one, and finding out whether a write could block."""

import os
import select
import stat
from contextlib import ExitStack
from io import FileIO


def open_pipe(stack: ExitStack) -> tuple[FileIO, FileIO]:
    """Return both ends of a new pipe, to read from and to write to; the stack closes them."""
    source, target = os.pipe()
    return stack.enter_context(FileIO(source, "rb")), stack.enter_context(FileIO(target, "wb"))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of some data to a file descriptor, in as many parts as it takes.

    Raises:
        OSError: If that cannot be done.
    """
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def takes_at_once(descriptor: int, size: int) -> bool:
    """Return whether writing so many bytes to a file descriptor is certain not to block.

    That is certain only for pipes: a pipe that can be written to takes `PIPE_BUF` bytes, as long as nobody else writes
    to it (POSIX, `write` and `pipe`).
    """
    if not hasattr(select, "poll") or size > select.PIPE_BUF or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))

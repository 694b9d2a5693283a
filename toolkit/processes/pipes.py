"""Create pipes, write to them in full, and check whether a write would block."""

import os
import select
import stat
from contextlib import ExitStack
from io import FileIO


def open_pipe(stack: ExitStack) -> tuple[FileIO, FileIO]:
    """Return the read end and the write end of a new pipe; the stack closes both."""
    source, target = os.pipe()
    return stack.enter_context(FileIO(source, "rb")), stack.enter_context(FileIO(target, "wb"))


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data to a file descriptor, in as many writes as needed.

    Raises:
        OSError: If a write fails.
    """
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def write_cannot_block(descriptor: int, size: int) -> bool:
    """Return whether a write of `size` bytes to a file descriptor is guaranteed not to block.

    Only pipes guarantee this: a writable pipe accepts `PIPE_BUF` bytes, as long as no other process writes to it
    (POSIX, `write` and `pipe`).
    """
    if not hasattr(select, "poll") or size > select.PIPE_BUF or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))

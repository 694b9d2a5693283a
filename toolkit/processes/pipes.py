"""Pipes: a new one, and everything that is to be written written into one."""

import os
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

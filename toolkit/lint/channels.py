"""Channels: how a child process of lint talks to its parent, and the memory that it may use."""

import os
from contextlib import suppress
from typing import TextIO


def take_channel() -> tuple[TextIO, TextIO]:
    """Keep the channel to oneself: no file that is opened here writes to it, reads from it or inherits it."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _close(requests, answers))
    return requests, answers


def _close(*streams: TextIO) -> None:
    for stream in streams:
        os.close(stream.fileno())


def limit_memory(size: int) -> None:
    """Let what takes more memory fail with a MemoryError, which is a problem with a place, where the system can."""
    try:
        import resource  # noqa: PLC0415 - not every system has it
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with suppress(OSError, ValueError):  # some systems know the limit and refuse to set it
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

"""Processes that a test watches although they are not its children."""

import os
import select
import time
from contextlib import suppress
from pathlib import Path


def is_alive(process):
    """Return whether a process runs: neither one that has ended nor one that only waits to be collected."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc/self").exists() or _state_of(process) not in {"", "Z", "X"}


def _state_of(process):
    """Return the letter of a process's state, empty if it ended between finding its file and reading it."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    return ""


def wait_for_end(process, seconds):
    """Wait until a process has ended, for at most this many seconds; return whether it has. Linux only."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return can_be_read(descriptor, seconds)
    finally:
        os.close(descriptor)


def can_be_read(descriptor, seconds):
    """Wait until a descriptor can be read, for at most this many seconds; return whether it can."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0, seconds) * 1000))


def survivors(variable, seconds):
    """Return the processes that still carry `NAME=value` after all had this many seconds to end. Finds them on Linux."""
    until = time.monotonic() + seconds
    while (found := processes_with(variable)) and (left := until - time.monotonic()) > 0:
        wait_for_end(found[0], left)
    return found


def processes_with(variable):
    """Return the numbers of the processes, apart from this one, whose environment holds `NAME=value`."""
    numbers = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return [number for number in numbers if number != os.getpid() and variable in _environment_of(number)]


def _environment_of(process):
    with suppress(OSError):
        return Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace").split("\0")
    return []


def handles_below(folder):
    """Return what this process has open below a folder; other tests may open and close files elsewhere. Linux only."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that listed them
            found.append(handle.readlink())
    return [place for place in found if place.is_relative_to(folder)]

"""Huge pages: what a process that is copied again and again holds, in few large pages instead of many small ones.

A copy begins with the table of all pages, and a process that has imported the program has fifty thousand small ones:
writing their table down takes longer than most commands do.
"""

import ctypes
from collections.abc import Iterator
from pathlib import Path

HUGE = 2 << 20
"""The bytes of a huge page."""
COLLAPSE = 25
"""What `madvise` is asked for, from Linux 6.1 on: to join the small pages now."""


def join_pages() -> None:
    """Join the small pages of this process, where the system can; where it cannot, nothing changes."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start in _places():
        madvise(start, HUGE, COLLAPSE)


def _places() -> Iterator[int]:
    """Return where in the memory of this process alone a huge page has room."""
    for line in Path("/proc/self/maps").read_text("utf-8").splitlines():
        match line.split():
            case [area, "rw-p", _, _, "0", *name] if name in ([], ["[heap]"]):
                start, end = (int(number, 16) for number in area.split("-"))
                yield from range(-(-start // HUGE) * HUGE, end - HUGE + 1, HUGE)
